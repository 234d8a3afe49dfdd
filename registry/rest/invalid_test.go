package rest_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/rest"
)

var kind = schema.GroupKind{Group: "example.com", Kind: "Book"}

// What fits into an answer is told as Kubernetes tells it.
func TestInvalidIsThatOfKubernetes(t *testing.T) {
	path := field.NewPath("spec", "title")
	for name, errs := range map[string]field.ErrorList{
		"nothing":   nil,
		"one":       {field.Invalid(path, "x", "too short")},
		"two":       {field.Required(path, ""), field.TooMany(path.Index(3), 7, 2)},
		"no string": {field.Duplicate(path, map[string]int{"a": 1}), field.NotSupported(path, 7, []string{"a"})},
	} {
		got, want := rest.Invalid(kind, "b", errs), apierrors.NewInvalid(kind, "b", errs)
		if !reflect.DeepEqual(got.ErrStatus, want.ErrStatus) {
			t.Errorf("%s:\n%+v\nwant\n%+v", name, got.ErrStatus, want.ErrStatus)
		}
	}
}

// Rules stop looking when they have found enough.
func TestWhileFew(t *testing.T) {
	items := make([]int, 2*rest.MaxViolations)
	for name, tc := range map[string]struct{ before, each, want int }{
		"nothing is wrong": {0, 0, len(items)},
		"all is wrong":     {0, 1, rest.MaxViolations},
		"much is wrong":    {rest.MaxViolations - 3, 2, 2},
		"enough is wrong":  {rest.MaxViolations, 1, 0},
	} {
		errs, seen := make(field.ErrorList, tc.before), 0
		for range rest.WhileFew(&errs, slices.All(items)) {
			seen++
			errs = append(errs, make(field.ErrorList, tc.each)...)
		}
		if seen != tc.want {
			t.Errorf("%s: looked at %d items, want %d", name, seen, tc.want)
		}
	}
}

// An answer has bounds, whatever was sent.
func TestInvalidIsBounded(t *testing.T) {
	path, long := field.NewPath("spec"), strings.Repeat("é", 50_000)
	list := make([]string, 50_000)
	var many, same, wide field.ErrorList
	for i := range rest.MaxViolations + 1 {
		many = append(many, field.Required(path.Index(i), ""))
		same = append(same, field.Required(path, ""))
		wide = append(wide, field.Invalid(path.Index(i), list, "not like that"))
	}
	for name, tc := range map[string]struct {
		errs         field.ErrorList
		causes, most int
		more         bool
	}{
		"many":        {many, rest.MaxViolations, 5_000, true},
		"the same":    {same, 1, 500, false},
		"large":       {wide, 7, 40_000, true},
		"a long text": {field.ErrorList{field.Invalid(path.Key(long), long, long)}, 1, 20_000, false},
	} {
		s := rest.Invalid(kind, long, tc.errs).ErrStatus
		if n := len(s.Details.Causes); n != tc.causes {
			t.Errorf("%s: %d causes, want %d", name, n, tc.causes)
		}
		if size := len(fmt.Sprint(s)); size > 2*tc.most+30_000 {
			t.Errorf("%s: the answer has %d bytes", name, size)
		}
		if more := strings.HasSuffix(s.Message, "and more that are not listed]"); more != tc.more {
			t.Errorf("%s: the message ends with %q", name, s.Message[len(s.Message)-50:])
		}
	}
}
