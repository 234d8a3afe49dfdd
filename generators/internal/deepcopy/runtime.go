package deepcopy

import (
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/copied"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/runtime/deepcopy"
)

// deepcopyPath is the part of the runtime that copies call where they may import it; slabSource is
// some of it as text.
const deepcopyPath = "github.com/typeplane/typeplane/runtime/deepcopy"

var slabSource = copied.New("runtime/deepcopy", deepcopy.Source, copiedName)

// copiedName is the name that a declaration of the runtime has in a file that does not import it.
func copiedName(name string) string {
	switch name {
	case "Memory":
		return "deepCopyMetaMemory"
	case "NewObject":
		return "deepCopyObject"
	}
	return "deepCopy" + name
}

// runtimeSlabs are the slabs of the runtime's memory.
var runtimeSlabs = map[types.Name]string{
	{Name: "bool"}:                        "Bools",
	{Name: "int64"}:                       "Int64s",
	{Name: "string"}:                      "Strings",
	{Package: metaPath, Name: "FieldsV1"}: "FieldsV1s",
	{Package: metaPath, Name: "ManagedFieldsEntry"}:       "Entries",
	{Package: metaPath, Name: "OwnerReference"}:           "Owners",
	{Package: metaPath, Name: "Time"}:                     "Times",
	{Package: metaPath, Name: "LabelSelectorRequirement"}: "Requirements",
}

// runtimeFunctions are the types of apimachinery for which the runtime has functions.
var runtimeFunctions = map[types.Name]bool{
	metadata: true,
	managed:  true,
	{Package: metaPath, Name: "OwnerReference"}:           true,
	{Package: metaPath, Name: "ListMeta"}:                 true,
	{Package: metaPath, Name: "LabelSelector"}:            true,
	{Package: metaPath, Name: "LabelSelectorRequirement"}: true,
}

// ofRuntime tells whether the function for a type is the runtime's.
func (m *slabs) ofRuntime(t *types.Type) bool { return m.shared && runtimeFunctions[t.Name] }

// sharesRuntime tells whether what is printed may import the runtime: deep copies do where the
// module requires it, and need no more of modules that do not.
func sharesRuntime(pass *generators.Pass) bool {
	return !pass.InlineRuntime && len(pass.Model.Unreachable([]string{deepcopyPath})) == 0
}
