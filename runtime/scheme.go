package runtime

import (
	"fmt"
	"reflect"
	"slices"

	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Scheme knows every kind of a server. It is immutable: all methods may be called from any
// goroutine and take no lock.
type Scheme struct {
	kinds    map[schema.GroupVersionKind]*Kind
	types    map[reflect.Type]*Kind
	hubs     map[schema.GroupKind]*hub
	hubTypes map[reflect.Type]*hub
	groups   map[string][]schema.GroupVersion // best version first
}

// NotRegisteredError says that a Scheme does not have a kind.
type NotRegisteredError struct {
	GroupVersionKind schema.GroupVersionKind
	// GoType is set when it was asked for by an object.
	GoType reflect.Type
}

func (e *NotRegisteredError) Error() string {
	if e.GoType != nil {
		return fmt.Sprintf("no kind is registered for the type %s", e.GoType)
	}
	return fmt.Sprintf("no kind %q is registered for version %q", e.GroupVersionKind.Kind, e.GroupVersionKind.GroupVersion())
}

// Kind returns the kind named gvk, or a *NotRegisteredError.
func (s *Scheme) Kind(gvk schema.GroupVersionKind) (*Kind, error) {
	if k := s.kinds[gvk]; k != nil {
		return k, nil
	}
	return nil, &NotRegisteredError{GroupVersionKind: gvk}
}

// KindOf returns the kind whose Go type obj has, or a *NotRegisteredError. A dedicated hub type has
// no kind.
func (s *Scheme) KindOf(obj apiruntime.Object) (*Kind, error) {
	if k := s.types[reflect.TypeOf(obj)]; k != nil {
		return k, nil
	}
	return nil, &NotRegisteredError{GoType: reflect.TypeOf(obj)}
}

// HubOf returns the name of the hub whose Go type obj has.
func (s *Scheme) HubOf(obj apiruntime.Object) (schema.GroupKind, bool) {
	if h := s.hubTypes[reflect.TypeOf(obj)]; h != nil {
		return h.groupKind, true
	}
	return schema.GroupKind{}, false
}

// Recognizes says whether gvk is a kind of this Scheme.
func (s *Scheme) Recognizes(gvk schema.GroupVersionKind) bool { return s.kinds[gvk] != nil }

// New returns a fresh, empty object.
func (s *Scheme) New(gvk schema.GroupVersionKind) (Object, error) {
	k, err := s.Kind(gvk)
	if err != nil {
		return nil, err
	}
	return k.New(), nil
}

// NewList returns a fresh, empty list of the kind gvk (which names the item, not the list).
func (s *Scheme) NewList(gvk schema.GroupVersionKind) (apiruntime.Object, error) {
	k, err := s.Kind(gvk)
	if err != nil {
		return nil, err
	}
	return k.NewList(), nil
}

// NewHub returns a fresh, empty object of a hub's type.
func (s *Scheme) NewHub(gk schema.GroupKind) (Object, error) {
	h := s.hubs[gk]
	if h == nil {
		return nil, &NotRegisteredError{GroupVersionKind: gk.WithVersion("hub")}
	}
	return h.new(), nil
}

// Default fills the defaults of obj's version in, in place. An object that is of no version is left
// as it is.
func (s *Scheme) Default(obj Object) {
	if k := s.types[reflect.TypeOf(obj)]; k != nil {
		k.Default(obj)
	}
}

// ToHub converts an object of any version, see Kind.ToHub.
func (s *Scheme) ToHub(obj Object) (Object, error) {
	k, err := s.KindOf(obj)
	if err != nil {
		return nil, err
	}
	return k.ToHub(obj)
}

// FromHub converts an object of a hub type, see Kind.FromHub.
func (s *Scheme) FromHub(hub Object, gvk schema.GroupVersionKind) (Object, error) {
	k, err := s.Kind(gvk)
	if err != nil {
		return nil, err
	}
	if t := reflect.TypeOf(hub); t != k.hub.goType {
		return nil, fmt.Errorf("convert to %s: a %s is not of its hub type %s", describe(gvk), t, k.hub.goType)
	}
	return k.FromHub(hub)
}

// Convert converts between two versions of one hub. It does not default. The result may share
// memory with obj.
func (s *Scheme) Convert(obj Object, gvk schema.GroupVersionKind) (Object, error) {
	from, err := s.KindOf(obj)
	if err != nil {
		return nil, err
	}
	to, err := s.Kind(gvk)
	if err != nil {
		return nil, err
	}
	if from == to {
		return obj, nil
	}
	if from.hub != to.hub {
		return nil, fmt.Errorf("convert %s to %s: they have different hubs, %s and %s",
			describe(from.gvk), describe(to.gvk), from.hub.groupKind, to.hub.groupKind)
	}
	hub, err := from.ToHub(obj)
	if err != nil {
		return nil, err
	}
	return to.FromHub(hub)
}

// SelectableFields returns what a field selector may ask of obj, which is of kind gvk; see
// Kind.SelectableFields.
func (s *Scheme) SelectableFields(gvk schema.GroupVersionKind, obj Object) map[string]string {
	if k := s.kinds[gvk]; k != nil {
		return k.SelectableFields(obj)
	}
	return nil
}

// Groups returns the groups that have kinds, sorted.
func (s *Scheme) Groups() []string {
	groups := make([]string, 0, len(s.groups))
	for g := range s.groups {
		groups = append(groups, g)
	}
	slices.Sort(groups)
	return groups
}

// VersionsOf returns the versions of a group, the best first: stable before beta before alpha, then
// the higher number.
func (s *Scheme) VersionsOf(group string) []schema.GroupVersion {
	return slices.Clone(s.groups[group])
}

// KindsOf returns the kinds in one version of a group, sorted by name.
func (s *Scheme) KindsOf(gv schema.GroupVersion) []*Kind {
	var kinds []*Kind
	for gvk, k := range s.kinds {
		if gvk.GroupVersion() == gv {
			kinds = append(kinds, k)
		}
	}
	slices.SortFunc(kinds, compareKinds)
	return kinds
}

// KindsOfHub returns the versions of one hub: its own group first, then the best version first.
func (s *Scheme) KindsOfHub(gk schema.GroupKind) []*Kind {
	if h := s.hubs[gk]; h != nil {
		return slices.Clone(h.kinds)
	}
	return nil
}
