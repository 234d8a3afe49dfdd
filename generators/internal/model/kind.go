package model

import (
	"go/token"
	gotypes "go/types"
	"path"
	"regexp"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"
)

const metaV1 = "k8s.io/apimachinery/pkg/apis/meta/v1"

// Tags of packages that say what they declare.
const (
	tagGroup   = "groupName"
	tagVersion = "versionName"
	// TagKubernetes marks a package whose kinds are copies of Kubernetes' own.
	TagKubernetes = "typeplane:kubernetes"
)

// GroupVersion is the group of a package by its tag, and the version that its folder is called
// after, or a tag. Where the folder is called after no version, the package may be, by whose name
// controller-gen goes. ok tells whether it has a group; that of Kubernetes' core is "".
func (m *Model) GroupVersion(pkg *Package) (name, version string, ok bool) {
	// Nothing is remembered here: whoever asks has read the markers.
	markers := m.OfPackage(pkg)
	if version, ok = markers.Last(tagVersion); !ok {
		version = path.Base(pkg.Path)
		if !IsVersion(version) && IsVersion(pkg.Name) {
			version = pkg.Name
		}
	}
	name, ok = markers.Last(tagGroup)
	return strings.Trim(name, `"`), version, ok
}

// IsVersion tells whether a name is a version as Kubernetes has them: v1, v2beta3.
func IsVersion(name string) bool { return versionName.MatchString(name) }

var versionName = regexp.MustCompile(`^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$`)

// aliasMarkers are what the tags begin with that make a kind of an alias. An alias without any is a
// name and nothing else.
var aliasMarkers = []string{"kubebuilder:", "genclient"}

// Aliases returns the aliases of pkg that are kinds or lists of such, sorted by name. A package
// serves a kind of another module by an alias whose comment carries markers:
//
//	// Pod is served as Kubernetes has it.
//	//
//	// +kubebuilder:resource:shortName=po
//	type Pod = corev1.Pod
//
//	type PodList = corev1.PodList
//
// Every plug-in that looks for kinds asks here, so that none serves what another does not know.
func (m *Model) Aliases(pkg *Package) []Alias {
	kinds := map[string]bool{}
	for _, a := range pkg.Aliases {
		if m.IsKind(a) {
			kinds[a.Name] = true
		}
	}
	var out []Alias
	for _, a := range pkg.Aliases {
		item, isList := strings.CutSuffix(a.Name, "List")
		if kinds[a.Name] || isList && kinds[item] && aliasOf(a, "ListMeta") {
			out = append(out, a)
		}
	}
	return out
}

// IsKind says whether an alias is a kind. Its type has the metadata of an object. Besides, its
// comment has a marker, or it stands below a server with an alias of its list beside it.
func (m *Model) IsKind(a Alias) bool {
	if list, ok := a.Go.Pkg().Scope().Lookup(a.Name + "List").(*gotypes.TypeName); ok && list.IsAlias() && m.BelowServer(a.Go.Pkg().Path()) {
		return aliasOf(a, "ObjectMeta")
	}
	for mk := range m.OfAlias(a).All() {
		if slices.ContainsFunc(aliasMarkers, func(begin string) bool { return strings.HasPrefix(mk.Name, begin) }) {
			return aliasOf(a, "ObjectMeta")
		}
	}
	return false
}

// servingMarkers are those that say how a kind is served.
var servingMarkers = []string{
	"kubebuilder:resource", "kubebuilder:subresource:status", "kubebuilder:subresource:scale", "kubebuilder:printcolumn",
	"kubebuilder:selectablefield", "kubebuilder:storageversion", "kubebuilder:unservedversion", "genclient:nonNamespaced",
	"kubebuilder:deprecatedversion", "kubebuilder:metadata", "typeplane:selectablefield",
}

// serving is which of servingMarkers a marker is; "" for others.
func serving(mk *Marker) string {
	i := slices.IndexFunc(servingMarkers, func(name string) bool { return mk.Name == name || strings.HasPrefix(mk.Name, name+":") })
	if i < 0 {
		return ""
	}
	return servingMarkers[i]
}

// OfKind are the markers of an alias that is a kind: its own, and some of the type that it stands
// for. Those say how a kind is served, and the alias has none of that name.
func (m *Model) OfKind(a Alias) (Markers, error) {
	out := m.OfAlias(a)
	if err := m.DependencyComments(a.Target.Name.Package); err != nil {
		return out, err
	}
	said := map[string]bool{}
	for mk := range out.All() {
		said[serving(mk)] = true
	}
	for mk := range m.OfType(a.Target).All() {
		if name := serving(mk); name != "" && !said[name] {
			out.list = append(out.list, mk)
		}
	}
	return out, nil
}

// aliasOf says whether an alias can be seen from outside and stands for a struct that embeds
// TypeMeta and this other type of meta/v1.
func aliasOf(a Alias, meta string) bool {
	return a.Go.Exported() && Embeds(a.Target, "TypeMeta") && Embeds(a.Target, meta)
}

// Embeds says whether t is a struct that embeds meta/v1's type called name.
func Embeds(t *types.Type, name string) bool {
	return slices.ContainsFunc(t.Members, func(m types.Member) bool {
		return m.Embedded && m.Type.Name == types.Name{Package: metaV1, Name: name}
	})
}

// HasMethod tells whether a type has a method, of its own or of what it embeds.
func HasMethod(t *types.Type, name string) bool {
	if t.Methods[name] != nil {
		return true
	}
	if t = Underlying(t); t.Kind == types.Pointer {
		t = Underlying(t.Elem)
	}
	return t.Methods[name] != nil || slices.ContainsFunc(t.Members, func(m types.Member) bool { return m.Embedded && HasMethod(m.Type, name) })
}

// ObjectName is the interface of what apimachinery's Scheme can register.
const ObjectName = "k8s.io/apimachinery/pkg/runtime.Object"

// IsObject tells whether a type has a method DeepCopyObject, or will have it: only such types can
// be registered with apimachinery's Scheme. Kinds of other modules have one.
func (m *Model) IsObject(t *types.Type) bool {
	pkg := m.Package(t.Name.Package)
	if pkg == nil || !pkg.Main {
		return Embeds(t, "TypeMeta")
	}
	if m.IsServedObject(pkg, t) {
		return true
	}
	markers := m.OfType(t)
	if root, ok := markers.Last("kubebuilder:object:root"); ok && root != "false" || t.Methods["DeepCopyObject"] != nil {
		return true
	}
	return slices.ContainsFunc(markers.Values("k8s:deepcopy-gen:interfaces"), func(value string) bool {
		return slices.Contains(strings.Split(value, ","), ObjectName)
	})
}

// InJSON tells whether a struct carries json tags, which those of a hub do not.
func InJSON(t *types.Type) bool {
	return slices.ContainsFunc(t.Members, func(m types.Member) bool { return JSONOf(m).Said })
}

// OfKubernetes says whether a kind that pkg declares is one of Kubernetes' own: a type of
// k8s.io/api, or a copy of one in a package that says so by TagKubernetes. A kube-apiserver judges
// these by code; their +enum, +required and kubebuilder markers describe them and no more.
func (m *Model) OfKubernetes(pkg *Package, t *types.Type) bool {
	return strings.HasPrefix(t.Name.Package, "k8s.io/api/") || m.Copies(pkg)
}

// Copies says whether a package says that its types are copies of Kubernetes' own. It may be nil.
func (m *Model) Copies(pkg *Package) bool { return m.OfPackage(pkg).Has(TagKubernetes) }

// AllOfKubernetes says whether a package has kinds, and each is one of Kubernetes' own.
func (m *Model) AllOfKubernetes(pkg *Package) bool {
	if m.Copies(pkg) {
		return true
	}
	declares := slices.ContainsFunc(pkg.Aliases, m.IsKind)
	for _, a := range pkg.Aliases {
		if m.IsKind(a) && !m.OfKubernetes(pkg, a.Target) {
			return false
		}
	}
	for name, t := range pkg.Types.Types {
		if !token.IsExported(name) || !Embeds(t, "TypeMeta") || !Embeds(t, "ObjectMeta") {
			continue
		}
		if !m.OfKubernetes(pkg, t) {
			return false
		}
		declares = true
	}
	return declares
}

// Plural is the plural of most English nouns, in lower case as they are: what the resource of a
// kind is called. One that ends with an s is one already, as controller-gen has it: Settings,
// PodChaos. Kinds with another one say +kubebuilder:resource:path=.
func Plural(noun string) string {
	n := len(noun)
	switch {
	case endsWith(noun, "ss", "atus", "bus", "alias", "campus", "x", "z", "ch", "sh"):
		return noun + "es"
	case endsWith(noun, "s"):
		return noun
	case n > 1 && noun[n-1] == 'y' && !strings.ContainsRune("aeiou", rune(noun[n-2])):
		return noun[:n-1] + "ies"
	}
	return noun + "s"
}

// SeveralPlurals tells whether controller-gen may make another plural of a kind than Plural does,
// in one of its versions: indices of Index, or fleet of Fleet.
func SeveralPlurals(kind string) bool {
	noun := strings.ToLower(kind)
	return endsWith(noun, oddEnds...) && !endsWith(noun, "io", "tz") || endsWith(kind, oddWords...) || endsWith(kind, "S")
}

// oddEnds and oddWords are what such kinds end with; a word begins with a capital letter.
var (
	oddEnds = []string{
		"man", "men", "child", "children", "person", "people", "foot", "oot", "eet", "oose", "eese", "ex", "z", "o", "lf", "rf", "oaf", "fe", "quy",
		"um", "ata", "ia", "va", "ula", "li", "actus", "irus", "focus", "leus", "bus", "sis", "stis", "erion", "menon",
	}
	oddWords = []string{
		"Matrix", "Appendix", "Ox", "Axis", "Mouse", "Tooth", "Die", "Thief", "Hoof", "Corpus", "Fungus", "Genus", "Locus", "Octopus", "Radius", "Stimulus",
		"Equipment", "Information", "Money", "Rice", "Fish", "Sheep", "Deer", "Aircraft", "Offspring", "Police", "Salmon", "Trout", "Tuna",
	}
)

func endsWith(text string, ends ...string) bool {
	return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(text, end) })
}
