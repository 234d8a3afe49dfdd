package registry

import (
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/typeplane/typeplane/runtime/wire"
	"github.com/typeplane/typeplane/storage"
)

// The field labels that every kind has; they are read from the bytes.
const (
	fieldName      = "metadata.name"
	fieldNamespace = "metadata.namespace"
)

// selector says which entries a client wants to see. Only one goroutine may use it.
type selector struct {
	version
	labels labels.Selector // nil: all
	fields fields.Selector // nil: all
	// decode says that a field is asked for which is not in the metadata.
	decode bool
	// entry is the one that is looked at, here so that looking at many allocates nothing.
	entry attributes
}

// newSelector reads the selectors of a list or watch. Its errors are for the client.
func (v version) newSelector(opts metav1.ListOptions) (selector, error) {
	s := selector{version: v}
	if opts.LabelSelector != "" {
		sel, err := labels.Parse(opts.LabelSelector)
		if err != nil {
			return s, apierrors.NewBadRequest(fmt.Sprintf("invalid labelSelector %q: %v", opts.LabelSelector, err))
		}
		if !sel.Empty() {
			s.labels = sel
		}
	}
	if opts.FieldSelector != "" {
		sel, err := fields.ParseSelector(opts.FieldSelector)
		if err != nil {
			return s, apierrors.NewBadRequest(fmt.Sprintf("invalid fieldSelector %q: %v", opts.FieldSelector, err))
		}
		for _, r := range sel.Requirements() {
			switch {
			case r.Field == fieldName || r.Field == fieldNamespace:
			case v.kind.Selectable(r.Field):
				s.decode = true
			default:
				return s, apierrors.NewBadRequest("field label not supported: " + r.Field)
			}
		}
		if !sel.Empty() {
			s.fields = sel
		}
	}
	return s, nil
}

// empty says that the selector leaves nothing out.
func (s *selector) empty() bool { return s.labels == nil && s.fields == nil }

// exact returns the value that a field must have, if there is just one.
func (s *selector) exact(field string) (string, bool) {
	if s.fields == nil {
		return "", false
	}
	return s.fields.RequiresExactMatch(field)
}

// matches says whether an entry is selected. It decodes only for fields that are not in the metadata.
func (s *selector) matches(e storage.Entry) (bool, error) {
	if s.empty() {
		return true, nil
	}
	var err error
	if s.entry.meta, err = wire.ReadMeta(e.Value); err != nil {
		return false, err
	}
	if s.labels != nil && !s.labels.Matches(labelsOf{&s.entry}) {
		return false, nil
	}
	if s.fields == nil {
		return true, nil
	}
	if s.decode {
		obj, err := s.object(e.Value, e.Revision)
		if err != nil {
			return false, err
		}
		s.entry.fields = s.kind.SelectableFields(obj)
	}
	return s.fields.Matches(fieldsOf{&s.entry}), nil
}

// attributes is what selectors see of an entry. The strings in meta are as good as its bytes.
type attributes struct {
	meta   wire.Meta
	fields map[string]string // those that are not in the metadata
}

// labelsOf and fieldsOf show attributes to the two kinds of selectors.
type (
	labelsOf struct{ *attributes }
	fieldsOf struct{ *attributes }
)

func (l labelsOf) Lookup(label string) (string, bool) { return l.meta.Label(label) }

func (l labelsOf) Has(label string) bool {
	_, ok := l.meta.Label(label)
	return ok
}

func (l labelsOf) Get(label string) string {
	value, _ := l.meta.Label(label)
	return value
}

func (f fieldsOf) Has(field string) bool {
	_, ok := f.fields[field]
	return ok || field == fieldName || field == fieldNamespace
}

func (f fieldsOf) Get(field string) string {
	switch field {
	case fieldName:
		return f.meta.Name
	case fieldNamespace:
		return f.meta.Namespace
	}
	return f.fields[field]
}

// scope is the part of a resource that a list or watch is about.
type scope struct {
	prefix string
	// key is the only entry that is wanted, if the selectors say so.
	key string
	// nothing says that the selectors leave nothing over.
	nothing bool
}

// newScope narrows the collection of a namespace down as far as the field selector allows.
func (e *endpoint[T]) newScope(namespace string, s *selector) (scope, error) {
	if !e.def.Namespaced {
		namespace = ""
	}
	if ns, ok := s.exact(fieldNamespace); ok && e.def.Namespaced {
		if namespace != "" && namespace != ns || notASegment(ns) != "" {
			return scope{prefix: e.prefix, nothing: true}, nil
		}
		namespace = ns
	}
	prefix, err := e.collection(namespace)
	if err != nil {
		return scope{}, err
	}
	sc := scope{prefix: prefix}
	if name, ok := s.exact(fieldName); ok {
		if name == "" || notASegment(name) != "" {
			sc.nothing = true
		} else if namespace != "" || !e.def.Namespaced {
			sc.key = prefix + name
		}
	}
	return sc, nil
}

// has says whether key is in the scope.
func (s *scope) has(key string) bool {
	return !s.nothing && strings.HasPrefix(key, s.prefix) && (s.key == "" || s.key == key)
}
