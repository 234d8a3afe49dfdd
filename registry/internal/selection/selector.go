package selection

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/typeplane/typeplane/registry/internal/canonical"
	"github.com/typeplane/typeplane/registry/internal/document"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/wire"
	"github.com/typeplane/typeplane/storage"
)

// The field labels that every kind has.
const (
	fieldName      = "metadata.name"
	fieldNamespace = "metadata.namespace"
)

// metaFields are where they lie in every message.
var metaFields = wire.Fields{fieldName: wire.String(1, 1), fieldNamespace: wire.String(1, 3)}

// Selector selects the entries that a client wants to see. Only one goroutine may use it.
type Selector struct {
	canonical.Version
	labels, fields *terms // nil: all
	// reader reads the fields of the selector from the bytes. It is nil if some can't be read: then
	// an object has to be decoded.
	reader *wire.Reader
	// values are those of the fields of the last entry, kept so that reading allocates nothing.
	values []string
}

// Of says which objects of a namespace a list or a watch is about; "" is all namespaces. Its errors
// are for the client.
func Of(v canonical.Version, k Keys, namespace string, opts metav1.ListOptions) (*Selector, Scope, error) {
	if opts.ShardSelector != "" {
		return nil, Scope{}, apierrors.NewBadRequest("shardSelector is not supported: leave it out")
	}
	sel, err := newSelector(v, opts)
	if err != nil {
		return nil, Scope{}, err
	}
	sc, err := newScope(k, namespace, &sel)
	return &sel, sc, err
}

// newSelector reads the selectors of a list or watch. Its errors are for the client.
func newSelector(v canonical.Version, opts metav1.ListOptions) (Selector, error) {
	s := Selector{Version: v}
	if opts.LabelSelector != "" {
		sel, err := labelTerms.of(opts.LabelSelector)
		if err != nil {
			return s, apierrors.NewBadRequest(fmt.Sprintf("invalid labelSelector %q: %v", opts.LabelSelector, err))
		}
		if len(sel.keys) > 0 {
			s.labels = sel
		}
	}
	if opts.FieldSelector != "" {
		sel, err := fieldTerms.of(opts.FieldSelector)
		if err != nil {
			return s, apierrors.NewBadRequest(fmt.Sprintf("invalid fieldSelector %q: %v", opts.FieldSelector, err))
		}
		for _, field := range sel.keys {
			if field != fieldName && field != fieldNamespace && !v.Kind.Selectable(field) {
				return s, apierrors.NewBadRequest("field label not supported: " + field)
			}
		}
		if len(sel.keys) > 0 {
			s.fields, s.reader = sel, readerOf(v, sel.keys)
		}
	}
	return s, nil
}

// readerOf returns a reader of fields in canonical values, nil if they can't be read without
// decoding. The metadata is at the same place in every version, the rest where the stored version
// has it.
func readerOf(v canonical.Version, labels []string) *wire.Reader {
	var places []wire.Field
	for _, label := range labels {
		place, ok := metaFields[label]
		if !ok && v.Stored() {
			place, ok = v.Kind.StoredField(label)
		}
		if !ok {
			return nil
		}
		places = append(places, place)
	}
	return wire.NewReader(places...)
}

// Empty says that the selector leaves nothing out.
func (s *Selector) Empty() bool { return s.labels == nil && s.fields == nil }

// exact returns the value that a field must have, if there is just one.
func (s *Selector) exact(field string) (string, bool) {
	if s.fields == nil {
		return "", false
	}
	return s.fields.exact(field)
}

// Where returns a condition by which a store may narrow a list or watch: the one value that a
// field or label must have. It is nil if the selector requires no single value, or if an object
// would have to be decoded to read it.
func (s *Selector) Where() *storage.Where {
	if s.fields != nil {
		for _, field := range s.fields.keys {
			value, ok := s.fields.exact(field)
			if !ok || field == fieldNamespace {
				continue
			}
			if reader := readerOf(s.Version, []string{field}); reader != nil {
				return whereField(reader, field, value)
			}
			if s.ShowsDocuments() {
				return whereMember(field, value)
			}
		}
	}
	if s.labels != nil {
		for _, label := range s.labels.keys {
			if value, ok := s.labels.exact(label); ok {
				return whereLabel(label, value)
			}
		}
	}
	return nil
}

func whereField(reader *wire.Reader, label, value string) *storage.Where {
	return &storage.Where{Attribute: "field " + label, Value: value, Read: func(e storage.Entry) (string, bool, error) {
		message, err := wire.Message(e.Value)
		if err != nil {
			return "", false, err
		}
		values, err := reader.Read(make([]string, 0, 1), message)
		if err != nil {
			return "", false, err
		}
		return values[0], true, nil
	}}
}

// whereMember is whereField for documents.
func whereMember(label, value string) *storage.Where {
	return &storage.Where{Attribute: "field " + label, Value: value, Read: func(e storage.Entry) (string, bool, error) {
		message, err := wire.Message(e.Value)
		if err != nil {
			return "", false, err
		}
		_, doc, err := document.ReadMessage(message)
		return doc.Text(label), err == nil, err
	}}
}

func whereLabel(label, value string) *storage.Where {
	return &storage.Where{Attribute: "label " + label, Value: value, Read: func(e storage.Entry) (string, bool, error) {
		message, err := wire.Message(e.Value)
		if err != nil {
			return "", false, err
		}
		return wire.Label(message, label)
	}}
}

// Matches says whether an entry is selected.
func (s *Selector) Matches(e storage.Entry) (bool, error) {
	if s.Empty() {
		return true, nil
	}
	message, err := wire.Message(e.Value)
	if err != nil {
		return false, err
	}
	if s.labels != nil {
		if ok, err := s.matchesLabels(e, message); !ok || err != nil {
			return false, err
		}
	}
	if s.fields == nil {
		return true, nil
	}
	if err := s.read(e, message); err != nil {
		return false, err
	}
	for i := range s.fields.of {
		if !s.fields.of[i].matches(s.values[i]) {
			return false, nil
		}
	}
	return true, nil
}

// matchesLabels reads the labels from the bytes. It decodes the object if they cannot be read or
// are out of order, because decoding has the last word.
func (s *Selector) matchesLabels(e storage.Entry, message []byte) (bool, error) {
	m := match{terms: s.labels}
	if err := wire.Labels(message, m.add); err == nil && !m.unordered {
		return m.ok(), nil
	}
	obj, err := s.Object(e)
	if err != nil {
		return false, err
	}
	m = match{terms: s.labels}
	for label, value := range runtime.Meta(obj).Labels {
		m.add(label, value)
	}
	return m.ok(), nil
}

// read reads the values of the fields of the selector.
func (s *Selector) read(e storage.Entry, message []byte) error {
	if s.reader != nil {
		var err error
		if s.values, err = s.reader.Read(s.values[:0], message); err == nil {
			return nil
		}
		// Decoding has the last word on what can be read.
	}
	if s.ShowsDocuments() {
		return s.readDocument(message)
	}
	obj, err := s.Object(e)
	if err != nil {
		return err
	}
	all, meta := s.Kind.SelectableFields(obj), runtime.Meta(obj)
	s.values = s.values[:0]
	for _, label := range s.fields.keys {
		value := all[label]
		switch label {
		case fieldName:
			value = meta.Name
		case fieldNamespace:
			value = meta.Namespace
		}
		s.values = append(s.values, value)
	}
	return nil
}

// readDocument is read for documents: 5m is 5m, and what is not there is "", as with custom
// resources.
func (s *Selector) readDocument(message []byte) error {
	_, doc, err := document.ReadMessage(message)
	if err != nil {
		return err
	}
	s.values = s.values[:0]
	for _, label := range s.fields.keys {
		value := ""
		if _, ok := metaFields[label]; !ok {
			value = doc.Text(label)
		} else if read, err := readerOf(s.Version, []string{label}).Read(nil, message); err != nil {
			return err
		} else {
			value = read[0]
		}
		s.values = append(s.values, value)
	}
	return nil
}

// Scope is the part of a resource that a list or watch is about.
type Scope struct {
	// Prefix is that of the collection, which continue tokens are relative to.
	Prefix string
	// Selection is what the store is asked for: the prefix, or the only key that is wanted, if the
	// selectors say so.
	Selection string
	// nothing says that the selectors leave nothing over.
	nothing bool
}

// newScope narrows the collection of a namespace down as far as the field selector allows.
func newScope(k Keys, namespace string, s *Selector) (Scope, error) {
	if !k.Namespaced {
		namespace = ""
	}
	if ns, ok := s.exact(fieldNamespace); ok && k.Namespaced {
		if namespace != "" && namespace != ns || notASegment(ns) != "" {
			return Scope{Prefix: k.Prefix, Selection: k.Prefix, nothing: true}, nil
		}
		namespace = ns
	}
	prefix, err := k.Collection(namespace)
	if err != nil {
		return Scope{}, err
	}
	sc := Scope{Prefix: prefix, Selection: prefix}
	if name, ok := s.exact(fieldName); ok {
		if name == "" || notASegment(name) != "" {
			sc.nothing = true
		} else if namespace != "" || !k.Namespaced {
			sc.Selection = prefix + name
		}
	}
	return sc, nil
}

// Has says whether key is in the scope.
func (s *Scope) Has(key string) bool { return !s.nothing && storage.Selects(s.Selection, key) }

// Single says that there is at most one entry in the scope.
func (s *Scope) Single() bool { return s.nothing || !storage.IsPrefix(s.Selection) }

// Narrow asks the store for no more than the scope, of which the selector may say what else is not
// wanted.
func (s *Scope) Narrow(q *storage.ListOptions, sel *Selector) {
	switch {
	case s.nothing:
		q.Limit = 1 // of which nothing is taken; but the list has a revision in any case
	case s.Single():
		// A page that begins behind the key is one that nobody was promised.
		s.nothing = q.Start > s.Selection
		q.Start, q.Limit = "", 0
	default:
		q.Where = sel.Where()
	}
}

// OfMetadata returns which objects the options select by what every kind has.
func OfMetadata(opts metav1.ListOptions) (func(*metav1.ObjectMeta) bool, error) {
	byLabel, err := labels.Parse(opts.LabelSelector)
	if err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("labelSelector: %v", err))
	}
	byField, err := fields.ParseSelector(opts.FieldSelector)
	if err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("fieldSelector: %v", err))
	}
	for _, r := range byField.Requirements() {
		if r.Field != "metadata.name" && r.Field != "metadata.namespace" {
			return nil, apierrors.NewBadRequest(fmt.Sprintf("field label not supported: %s", r.Field))
		}
	}
	return func(meta *metav1.ObjectMeta) bool {
		return byLabel.Matches(labels.Set(meta.Labels)) && byField.Matches(fields.Set{"metadata.name": meta.Name, "metadata.namespace": meta.Namespace})
	}, nil
}
