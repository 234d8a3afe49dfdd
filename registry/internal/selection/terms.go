package selection

import (
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"weak"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// terms is a selector of labels or fields, indexed by key. It selects what labels.Selector and
// fields.Selector select. An object costs one search for each of its labels, and not one for each
// requirement. It is immutable.
type terms struct {
	keys []string // sorted
	of   []term   // by the same index
	// required is the number of keys that an object must have.
	required int
}

// term is all requirements on one key.
type term struct {
	required, forbidden bool // the key must, or must not, be there
	// in are the values allowed, if restricted is set; notIn are those refused. Both are sorted.
	restricted   bool
	in, notIn    []string
	above, below *int64 // exclusive
}

// labelTerms and fieldTerms hold the selectors in use by their text.
var labelTerms, fieldTerms = shared{parse: parseLabels}, shared{parse: parseFields}

// shared parses selectors. Those that are in use at the same time share the terms of one text,
// because thousands of watches may have the same long selector.
type shared struct {
	parse func(text string) (*terms, error)
	inUse sync.Map // text to weak.Pointer[terms]
}

func (s *shared) of(text string) (*terms, error) {
	if p, ok := s.inUse.Load(text); ok {
		if t := p.(weak.Pointer[terms]).Value(); t != nil {
			return t, nil
		}
	}
	t, err := s.parse(text)
	if err != nil {
		return nil, err
	}
	p := weak.Make(t)
	s.inUse.Store(text, p)
	runtime.AddCleanup(t, func(text string) { s.inUse.CompareAndDelete(text, p) }, strings.Clone(text))
	return t, nil
}

func parseLabels(text string) (*terms, error) {
	selector, err := labels.Parse(text)
	if err != nil {
		return nil, err
	}
	t := new(terms)
	all, _ := selector.Requirements()
	for i := range all {
		t.at(all[i].Key()).require(all[i].Operator(), all[i].ValuesUnsorted())
	}
	return t.complete(), nil
}

func parseFields(text string) (*terms, error) {
	selector, err := fields.ParseSelector(text)
	if err != nil {
		return nil, err
	}
	t := new(terms)
	for _, r := range selector.Requirements() {
		t.at(r.Field).require(r.Operator, []string{r.Value})
	}
	return t.complete(), nil
}

// at returns the term of a key, a new one if there is none.
func (t *terms) at(key string) *term {
	i, found := slices.BinarySearch(t.keys, key)
	if !found {
		t.keys, t.of = slices.Insert(t.keys, i, key), slices.Insert(t.of, i, term{})
	}
	return &t.of[i]
}

func (t *term) require(operator selection.Operator, values []string) {
	switch operator {
	case selection.In, selection.Equals, selection.DoubleEquals:
		t.required = true
		t.restrict(slices.Sorted(slices.Values(values)))
	case selection.NotIn, selection.NotEquals:
		t.notIn = append(t.notIn, values...)
	case selection.Exists:
		t.required = true
	case selection.DoesNotExist:
		t.forbidden = true
	case selection.GreaterThan, selection.LessThan:
		t.required = true
		n, _ := strconv.ParseInt(values[0], 10, 64) // checked by the parser
		if operator == selection.GreaterThan && (t.above == nil || n > *t.above) {
			t.above = &n
		}
		if operator == selection.LessThan && (t.below == nil || n < *t.below) {
			t.below = &n
		}
	}
}

// restrict allows only values, which are sorted, of those that were allowed before.
func (t *term) restrict(values []string) {
	if t.restricted {
		values = slices.DeleteFunc(values, func(value string) bool { return !contains(t.in, value) })
	}
	t.restricted, t.in = true, slices.Compact(values)
}

func (t *terms) complete() *terms {
	for i := range t.of {
		slices.Sort(t.of[i].notIn)
		if t.of[i].required {
			t.required++
		}
	}
	return t
}

func contains(sorted []string, value string) bool {
	_, found := slices.BinarySearch(sorted, value)
	return found
}

// matches reports whether a key that is there may have a value.
func (t *term) matches(value string) bool {
	if t.forbidden || t.restricted && !contains(t.in, value) || contains(t.notIn, value) {
		return false
	}
	if t.above == nil && t.below == nil {
		return true
	}
	n, err := strconv.ParseInt(value, 10, 64)
	return err == nil && (t.above == nil || n > *t.above) && (t.below == nil || n < *t.below)
}

// exact returns the value that a key must have, if there is just one.
func (t *terms) exact(key string) (string, bool) {
	if i, found := slices.BinarySearch(t.keys, key); found && len(t.of[i].in) == 1 {
		return t.of[i].in[0], true
	}
	return "", false
}

// match is the comparison of a selector with the labels of one object.
type match struct {
	*terms
	// met is the number of required keys that were seen.
	met            int
	failed         bool
	last           string
	any, unordered bool
}

// add compares a label. The labels must be added in the order of their keys, or unordered is set:
// if a key comes twice, only its last value counts.
func (m *match) add(key, value string) {
	m.unordered = m.unordered || m.any && key <= m.last
	m.last, m.any = key, true
	i, found := slices.BinarySearch(m.keys, key)
	if !found {
		return
	}
	m.failed = m.failed || !m.of[i].matches(value)
	if m.of[i].required {
		m.met++
	}
}

// ok reports whether the labels that were added are selected.
func (m *match) ok() bool { return !m.failed && m.met == m.required }
