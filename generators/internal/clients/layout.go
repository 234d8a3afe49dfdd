package clients

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tag"
)

// The keys of the tag that asks for clients. Those of folders are relative to dir, which is
// relative to the module.
const (
	keyDir       = "dir"
	keyClientset = "clientset"
	keyListers   = "listers"
	keyInformers = "informers"
	keyApply     = "applyconfiguration"
	keyExtract   = "extract"
	keyProtobuf  = "protobuf"
	keyPlurals   = "plurals"
	keyExternals = "externals"
)

var keys = []string{keyDir, keyClientset, keyListers, keyInformers, keyApply, keyExtract, keyProtobuf, keyPlurals, keyExternals}

// Layout says where what is printed goes, and in which form.
type Layout struct {
	// Package asks for all of it.
	Package *model.Package
	// Clientset is the package of the clientset. The others are the folders of listers, informers
	// and apply configurations, and the zero value if there are to be none.
	Clientset, Listers, Informers, Apply Place
	// Extract says that apply configurations come with functions that extract them from objects.
	Extract bool
	// Protobuf says that clients ask for protobuf.
	Protobuf bool
	// Externals are the packages of apply configurations of types that other modules have them for.
	Externals map[types.Name]string

	plurals map[string]string // by the names of types
}

// Place is a folder, and the import path of a package in it.
type Place struct{ Dir, Path string }

// None tells that nothing is to be printed there.
func (at Place) None() bool { return at.Path == "" }

// Below is a folder in the place.
func (at Place) Below(elements ...string) Place {
	return Place{
		Dir:  filepath.Join(at.Dir, filepath.Join(elements...)),
		Path: path.Join(at.Path, path.Join(elements...)),
	}
}

// Name is what a package in the place is called.
func (at Place) Name() string { return identifier(strings.ToLower(path.Base(at.Path))) }

// Has tells whether a file written by hand stands there.
func (at Place) Has(name string) bool {
	_, err := os.Stat(filepath.Join(at.Dir, name))
	return err == nil
}

// layout reads the tag of the package; asks is false where there is none.
func (p *planner) layout() (l Layout, asks bool) {
	said, err := p.pass.Model.OfPackage(p.root).Arguments(tagClient)
	if err != nil {
		p.problemAt(p.root, ": "+err.Error(), "write it like +"+tagClient+":dir=client")
		return l, false
	}
	if len(said) == 0 {
		return l, false
	}
	values := map[string]string{
		keyDir: "client", keyClientset: "clientset/versioned", keyListers: "listers",
		keyInformers: "informers/externalversions", keyApply: "applyconfiguration", keyExtract: "true", keyProtobuf: "false",
	}
	for _, a := range slices.Concat(said...) {
		switch {
		case a.Key == "" && (a.Value == "" || a.Value == "true"):
		case a.Key == "" && a.Value == "false":
			return l, false
		case !slices.Contains(keys, a.Key):
			p.problemAt(p.root, fmt.Sprintf(": it can't have %s=%s", cmp.Or(a.Key, tagClient), a.Value), "want "+strings.Join(keys, "=, ")+"=")
		default:
			values[a.Key] = a.Value
		}
	}
	l.Package = p.root
	l.Extract, l.Protobuf = p.flag(values, keyExtract), p.flag(values, keyProtobuf)
	l.Clientset = p.place(values, keyClientset)
	l.Listers, l.Informers, l.Apply = p.optional(values, keyListers), p.optional(values, keyInformers), p.optional(values, keyApply)
	if l.Listers.None() && !l.Informers.None() {
		p.problemAt(p.root, ": informers give access to listers, and there are to be none", "say informers=false, too")
	}
	l.plurals = map[string]string{"Endpoints": "Endpoints"}
	for from, to := range p.pairs(values[keyPlurals], keyPlurals, "Type:Plural") {
		l.plurals[from] = to
	}
	l.Externals = p.externals(values[keyExternals])
	return l, true
}

// flag is the value of a key that is true or false.
func (p *planner) flag(values map[string]string, key string) bool {
	if v := values[key]; v != "true" && v != "false" {
		p.problemAt(p.root, ":"+key+"="+v+" is neither true nor false", "want one of them")
	}
	return values[key] == "true"
}

// optional is a place that may be left out.
func (p *planner) optional(values map[string]string, key string) Place {
	if values[key] == "false" {
		return Place{}
	}
	return p.place(values, key)
}

// place is the folder that a key names.
func (p *planner) place(values map[string]string, key string) Place {
	below := path.Join(values[keyDir], values[key])
	root := p.module()
	if !filepath.IsLocal(filepath.FromSlash(below)) || below == "." {
		p.problemAt(p.root, ":"+key+"="+values[key]+" is no folder below that of the module", "name one like client")
		return root
	}
	return root.Below(below)
}

// module is the folder with the go.mod of the package that asks.
func (p *planner) module() Place {
	root := model.ModuleRoot(p.root.Dir)
	below, err := filepath.Rel(root, p.root.Dir)
	if err != nil {
		return Place{Dir: p.root.Dir, Path: p.root.Path} // impossible: the one is above the other
	}
	return Place{Dir: root, Path: path.Clean(strings.TrimSuffix(p.root.Path, strings.TrimPrefix(filepath.ToSlash(below), ".")))}
}

// pairs reads a list of the form a:b;c:d.
func (p *planner) pairs(value, key, form string) map[string]string {
	out := map[string]string{}
	for _, pair := range tag.List(value) {
		from, to, ok := strings.Cut(pair, ":")
		if !ok || from == "" || to == "" {
			p.problemAt(p.root, fmt.Sprintf(":%s: %q is not like %s", key, pair, form), "write "+form+";"+form)
			continue
		}
		out[from] = to
	}
	return out
}

// metaTypes are those of meta/v1 that client-go has apply configurations for.
var metaTypes = []string{
	"Condition", "DeleteOptions", "LabelSelector", "LabelSelectorRequirement", "ManagedFieldsEntry", "ObjectMeta", "OwnerReference", "TypeMeta",
}

const metaV1 = "k8s.io/apimachinery/pkg/apis/meta/v1"

// externals are the apply configurations that client-go has, and those that the tag names.
func (p *planner) externals(value string) map[types.Name]string {
	out := map[types.Name]string{}
	for _, name := range metaTypes {
		out[types.Name{Package: metaV1, Name: name}] = "k8s.io/client-go/applyconfigurations/meta/v1"
	}
	for from, to := range p.pairs(value, keyExternals, "path.Type:package") {
		dot := strings.LastIndexByte(from, '.')
		if dot < 0 {
			p.problemAt(p.root, fmt.Sprintf(":%s: %q is not like path.Type", keyExternals, from), "write k8s.io/api/core/v1.PodSpec:k8s.io/client-go/applyconfigurations/core/v1")
			continue
		}
		out[types.Name{Package: from[:dot], Name: from[dot+1:]}] = to
	}
	return out
}

// prints tells whether a folder is one that is printed as a whole.
func (l Layout) prints(dir string) bool {
	return slices.Contains([]string{l.Clientset.Dir, l.Listers.Dir, l.Informers.Dir, l.Apply.Dir}, dir)
}
