package runtime

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Build checks all declarations and freezes them. Its error joins every mistake that was found,
// each with its cure; then the Scheme is nil. A Builder can be built once.
func (b *Builder) Build() (*Scheme, error) {
	if b.built {
		return nil, errors.New("this Builder was built before: make a new one")
	}
	b.built = true
	s := &Scheme{
		kinds:    map[schema.GroupVersionKind]*Kind{},
		types:    map[reflect.Type]*Kind{},
		hubs:     map[schema.GroupKind]*hub{},
		hubTypes: map[reflect.Type]*hub{},
		groups:   map[string][]schema.GroupVersion{},
	}
	c := &checker{scheme: s}
	for _, h := range b.hubs {
		c.hub(h)
	}
	for _, k := range b.kinds {
		c.kind(k)
	}
	for _, k := range b.kinds {
		c.sameJSON(k)
	}
	if len(c.mistakes) > 0 {
		return nil, errors.Join(c.mistakes...)
	}
	for _, h := range b.hubs {
		slices.SortFunc(h.kinds, func(x, y *Kind) int {
			return cmp.Or(foreign(x)-foreign(y), compareKinds(x, y))
		})
	}
	for group := range s.groups {
		slices.SortFunc(s.groups[group], compareGroupVersions)
	}
	return s, nil
}

// foreign is 1 for a version outside of its hub's group.
func foreign(k *Kind) int {
	if k.gvk.Group != k.hub.groupKind.Group {
		return 1
	}
	return 0
}

// checker fills a Scheme and collects what is wrong with the declarations.
type checker struct {
	scheme   *Scheme
	mistakes []error
}

func (c *checker) hub(h *hub) {
	bad := func(format string, args ...any) {
		c.mistakes = append(c.mistakes, fmt.Errorf("hub %s: "+format, append([]any{h.groupKind}, args...)...))
	}
	if h.groupKind.Kind == "" {
		bad("it has no kind: give AddHub a GroupKind with one")
	}
	if c.scheme.hubs[h.groupKind] != nil {
		bad("it is declared twice: declare each hub once and add all versions to that one")
	}
	c.scheme.hubs[h.groupKind] = h
	if len(h.kinds) == 0 {
		bad("it has no version: add at least one with AddVersion")
	}
	if h.new == nil {
		bad("it can't be made: give AddHub a function that returns a new object")
		return
	}
	t, problem := shape(h.new)
	if problem != "" {
		bad("%s", problem)
		return
	}
	h.goType = t
	if other := c.scheme.hubTypes[t]; other != nil && other.groupKind != h.groupKind {
		bad("its Go type %s is also that of hub %s: declare a type for each", t, other.groupKind)
	}
	c.scheme.hubTypes[t] = h
}

func (c *checker) kind(k *Kind) {
	bad := func(format string, args ...any) {
		c.mistakes = append(c.mistakes, fmt.Errorf("%s: "+format, append([]any{describe(k.gvk)}, args...)...))
	}
	if k.gvk.Version == "" || k.gvk.Version == "__internal" {
		bad("it has no version: set GroupVersion.Version, like v1")
	}
	if c.scheme.kinds[k.gvk] != nil {
		bad("it is declared twice: remove one AddVersion")
		return
	}
	c.scheme.kinds[k.gvk] = k
	if gv := k.gvk.GroupVersion(); !slices.Contains(c.scheme.groups[gv.Group], gv) {
		c.scheme.groups[gv.Group] = append(c.scheme.groups[gv.Group], gv)
	}
	c.list(k, bad)
	if k.new == nil {
		bad("it can't be made: set Version.New")
		return
	}
	t, problem := shape(k.new)
	if problem != "" {
		bad("%s", problem)
		return
	}
	k.goType = t
	if other := c.scheme.types[t]; other != nil {
		bad("its Go type %s is already that of %s: declare a type for each version", t, describe(other.gvk))
	} else {
		c.scheme.types[t] = k
	}
	c.conversions(k, bad)
	c.fields(k, bad)
	if problem := CheckColumns(k.columns, k.cells, k.new); problem != "" {
		bad("%s", problem)
	}
	c.scaling(k, bad)
	if _, k.protobuf = k.new().(Protobuf); k.protobuf {
		n, err := statusField(k.new)
		if err != nil {
			bad("its protobuf methods don't work (%v): run gen", err)
		}
		k.statusField = n
	}
	c.storedFields(k, bad)
	c.transcodes(k, bad)
	c.storedCells(k, bad)
}

// conversions checks that a version reaches its hub, or is it.
func (c *checker) conversions(k *Kind, bad func(string, ...any)) {
	if k.hub.goType == nil {
		return // reported with the hub
	}
	switch isHub := k.goType == k.hub.goType; {
	case isHub && (k.toHub != nil || k.fromHub != nil):
		bad("it is its own hub (%s): leave ToHub and FromHub out", k.goType)
	case k.sameJSON && (isHub || k.toHub != nil || k.fromHub != nil):
		bad("SameJSON takes the place of ToHub and FromHub: leave out the one or the others, and both in the hub")
	case k.sameJSON:
		return
	case !isHub && k.toHub == nil:
		bad("it does not convert to its hub %s: set ToHub, which gen writes for a package with +k8s:conversion-gen", k.hub.goType)
	}
	if k.goType != k.hub.goType && k.fromHub == nil {
		bad("its hub %s does not convert to it: set FromHub, which gen writes for a package with +k8s:conversion-gen", k.hub.goType)
	}
}

// sameJSON lets a version convert that does so by its JSON.
func (c *checker) sameJSON(k *Kind) {
	if !k.sameJSON || k.hub.goType == nil {
		return
	}
	hub := k.hub.version()
	if hub == nil {
		c.mistakes = append(c.mistakes, fmt.Errorf("%s: it has SameJSON, and its hub %s is no version, which has JSON: set ToHub and FromHub", describe(k.gvk), k.hub.goType))
		return
	}
	k.toHub, k.fromHub = byJSON(k, hub), byJSON(hub, k)
}

// list checks that NewList makes a list of the one form that is written without knowing its type.
func (c *checker) list(k *Kind, bad func(string, ...any)) {
	if k.newList == nil {
		bad("its list can't be made: set Version.NewList")
		return
	}
	data, err := json.Marshal(k.newList())
	if s := string(data); err != nil || s != `{"metadata":{},"items":null}` && s != `{"items":null}` { // ListMeta may be omitzero
		bad("its list is not of TypeMeta `json:\",inline\"`, ListMeta `json:\"metadata,omitempty\"` and Items `json:\"items\"`: an empty one is %s", data)
	}
}

// shape checks what can go wrong with the Go type of an object, and returns it.
func shape(newObject func() Object) (t reflect.Type, problem string) {
	defer func() {
		if r := recover(); r != nil {
			problem = fmt.Sprintf("a new object of it panics (%v): embed metav1.TypeMeta and metav1.ObjectMeta as values and run gen", r)
		}
	}()
	obj := newObject()
	t = reflect.TypeOf(obj)
	if t == nil || reflect.ValueOf(obj).IsNil() {
		return nil, "its constructor returns nil: return a pointer to a new struct"
	}
	if t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return nil, fmt.Sprintf("its Go type %s is not a pointer to a struct", t)
	}
	if newObject() == obj {
		return nil, "its constructor returns the same object twice: return a new one"
	}
	if _, ok := MetaOf(obj); !ok {
		return nil, fmt.Sprintf("its Go type %s has no metav1.ObjectMeta: embed it", t)
	}
	gvk := schema.GroupVersionKind{Group: "g", Version: "v", Kind: "K"}
	if obj.GetObjectKind().SetGroupVersionKind(gvk); obj.GetObjectKind().GroupVersionKind() != gvk {
		return nil, fmt.Sprintf("its Go type %s has no metav1.TypeMeta: embed it", t)
	}
	if c := obj.DeepCopyObject(); reflect.TypeOf(c) != t {
		return nil, fmt.Sprintf("the DeepCopyObject method of %s returns a %T: run gen for its package, with +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object on the type", t, c)
	}
	return t, ""
}
