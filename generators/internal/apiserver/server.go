package apiserver

import (
	"go/token"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/conversion"
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/openapi"
)

// server is one zz_generated.apiserver.go: a program, or a part that programs can serve.
type server struct {
	pkg  *model.Package
	name string // what the server is called: its folder
	part bool   // it is no program: the package is not main
	// constructor is the function that returns the server or the part.
	constructor string
	hubs        []*hub // by group and kind
	// openAPI are the packages that publish schemas, by group and version.
	openAPI []published
	// hidden is what the Go values of the versions without protobuf don't tell: see
	// runtime.Version.
	hidden openapi.Hidden
}

// hub is one kind: a Go type that the server works with, and the versions that convert to and from
// it.
type hub struct {
	groupKind schema.GroupKind
	goType    *types.Type
	versions  []*version // best first
	storage   *version
	names     names
	status    bool      // it has a status subresource
	strategy  *strategy // nil without one
	expires   *target   // says when an object ends; nil: none does
	options   []option  // that its rules depend on, unless its strategy says them
	authored  []authored
	// defaultsItself and validatesItself say that it has methods of controller-runtime's webhooks.
	defaultsItself, validatesItself bool
	// local is what its variables begin with.
	local string
}

// option is one of validation: its rules may depend on it.
type option struct {
	name string
	on   bool
}

// version is a kind in one API version.
type version struct {
	// pkg declares the kind, at pos. goType belongs to another package if it is an alias.
	pkg    *model.Package
	goType *types.Type
	// markers are those of the kind, inPackage those of pkg.
	markers, inPackage model.Markers
	pos                token.Position
	gv                 schema.GroupVersion
	served             bool
	// hub is the type that the version converts to, in this way; goType itself if it names no
	// other. conversions are the functions.
	hub         *types.Type
	by          way
	conversions conversions
	// defaults says that the package has a SetObjectDefaults function for the type.
	defaults bool
	// ownRulesOnly says that the rules of the storage version do not judge what is written through
	// this one.
	ownRulesOnly bool
	// deprecated is what clients of the version are warned of; "": nothing.
	deprecated string
	// functions are those beside its type.
	functions functions
	fields    []selectable
	// readable says that the fields can be read from an encoded object.
	readable bool
	scale    *scale // nil without a scale subresource
	// publishes says that there are schemas for it, exports that its package has the functions that
	// compare fields.
	publishes, exports bool
	// suffix ends the names of the functions that are printed for the version, like "v1_Book".
	suffix string
	// columns are what a table shows.
	columns []column
}

// way is how a version converts.
type way int

// published is a package whose zz_generated.openapi.go goes into the server's OpenAPI documents.
type published struct {
	gv  schema.GroupVersion
	pkg *model.Package
}

// authored is a subresource that a method of a strategy answers.
type authored struct {
	name, method string
	form         form
	// body and answer are the kinds of what is sent and received; an empty one is that of the
	// objects.
	body, answer schema.GroupVersionKind
	// takes is the struct that is sent, with the functions beside it that say its defaults and its
	// rules; nil: nothing is sent.
	takes              *types.Type
	defaults, validate *model.Package        // that has the function; nil: there is none
	methods            []string              // of HTTP, of a connector
	below              string                // the option of a connector that the rest of the path goes into; "" for none
	versions           []schema.GroupVersion // nil: all that are served
}

// column is one +kubebuilder:printcolumn.
type column struct {
	name, typ, format, description string
	priority                       int32
	// path is where the cell is found, "" if nowhere.
	path string
	cell cell
}

// selectable is one field that field selectors may name.
type selectable struct {
	// label is what users write, like "spec.isbn". renamed says that it is not the field's path.
	label   string
	renamed bool
	target
	// stored is nil if the field is known only when the object is decoded.
	stored *stored
}

// functions says which functions stand beside the type of a version, or will when this run is over:
// tags tell, not files.
type functions struct {
	json     bool        // AppendJSON_T and ReadJSON_T
	shared   bool        // UnmarshalShared_T
	table    *emit.Ident // JSONTable_T
	append   bool        // AppendProtobuf_T, which kinds of other modules have
	deepCopy bool        // DeepCopy_T, likewise
	validate bool        // Validate_T
}

// conversions are the functions that lead from a version to its hub and back, and the package that
// they are in.
type conversions struct {
	conversion.Pair
	pkg *model.Package
}

// names are what a resource is called.
type names struct {
	plural, singular       string
	shortNames, categories []string
	namespaced             bool
	keyPrefix              string   // "" without a marker
	prefixAt               *version // with the marker
}

// strategy is a type of the main package whose methods are the rules of a kind.
type strategy struct {
	goType *types.Type
	hooks  []hook // the methods that it has, in the order of a request
}

// hook is a method that a strategy may have.
type hook struct {
	name   string
	params []param
	result string
	// role says what of a registry.Strategy it fills in.
	role role
}

// role is what a method of a strategy is to a registry.Strategy.
type role int

const (
	// function: the field of its name, or one of StatusUpdate or Deletion.
	function role = iota
	statusUpdate
	deletion
	// value: the field of its name holds its result; choice: it holds a pointer to the result;
	// denied: another field holds the opposite.
	value
	choice
	denied
	// bySubresource: the field is a map of what it returns for each subresource.
	bySubresource
)

// statusFields are the fields of a registry.StatusUpdate by the methods that fill them in.
var statusFields = map[string]string{"PrepareForStatusUpdate": "Prepare", "ValidateStatusUpdate": "Validate", "WarningsOnStatusUpdate": "Warnings"}

// deniedFields are the fields that say the opposite of a method.
var deniedFields = map[string]string{
	"HasGeneration": "NoGeneration",
}

// scale says where the scale subresource of a version finds what it shows.
type scale struct {
	replicas, current target
	selector          *target // nil if the marker names none
}

// stored is where a selectable field is in an encoded object.
type stored struct {
	// form is the function of runtime/wire that is about values of its type.
	form string
	path []step
}

const (
	conversionByFunctions way = iota
	conversionByMethods       // ConvertTo and ConvertFrom
	conversionByJSON          // as versions of a CustomResourceDefinition without a webhook do
)

// form is which function of package registry makes the subresource.
type form string

// param is a parameter with its type as users write it; T is the pointer to the hub type.
type param struct{ name, typ string }

// cell is a compiled path: nested Go blocks, and the value inside of them.
type cell struct {
	// blocks are what has to be opened for value to exist, outermost first. Without any there is
	// always a value.
	blocks []block
	// value is the Go expression of what is found, "" if nothing ever is; leaf is its type and as
	// what the column shows it.
	value string
	leaf  *types.Type
	typ   string
	// many says that all that is found is shown, with commas between; else it is the first.
	many bool
	// texts says that the only block is about the items of a []string, which are joined as they
	// are.
	texts bool
}

// step is the number of a field on the way; pointer says that it is not there if a pointer is nil.
type step struct {
	number  int32
	pointer bool
}
