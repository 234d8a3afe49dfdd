package declared

import (
	"context"
	"flag"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/kubernetes/scheme"
)

var (
	objects = flag.Int("objects", 500, "random objects of each kind")
	seed    = flag.Int64("seed", 1, "that of the first kind's objects")
)

// TestDeclared judges new and changed objects of each kind.
func TestDeclared(t *testing.T) {
	theirs := validations(t)
	for i, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			c := comparison{kind: k, theirs: theirs, source: newSource(*seed + int64(i)), found: map[string]bool{}}
			c.run(t)
			t.Logf("%d objects were compared; in one of them at least, %d places are wrong", c.compared, len(c.found))
			if len(c.found) == 0 {
				t.Error("nothing was found wrong with any object: the comparison says nothing")
			}
		})
	}
}

// TestOthers judges objects of all kinds that are not compared: for none of them do tags say
// anything that is in force.
func TestOthers(t *testing.T) {
	theirs, source := validations(t), newSource(*seed)
	compared, asked := map[reflect.Type]bool{}, 0
	for _, k := range kinds {
		compared[reflect.TypeOf(k.make()).Elem()] = true
	}
	for gvk, typ := range scheme.Scheme.AllKnownTypes() {
		stable := !strings.ContainsAny(gvk.Version, "ab") && gvk.Kind != "Scale" // a subresource
		if !stable || compared[typ] || strings.HasSuffix(gvk.Kind, "List") || !strings.HasPrefix(typ.PkgPath(), "k8s.io/api/") {
			continue
		}
		asked++
		for range *objects / 10 {
			obj := reflect.New(typ).Interface().(runtime.Object)
			source.fill(obj)
			old := obj.DeepCopyObject()
			source.change(obj)
			for _, err := range append(theirs.Validate(t.Context(), nil, obj), theirs.ValidateUpdate(t.Context(), nil, obj, old)...) {
				if !err.IsAlpha() {
					t.Fatalf("%v: %v", gvk, err)
				}
			}
		}
	}
	t.Logf("%d kinds", asked)
	if asked < len(kinds) {
		t.Errorf("%d kinds were asked", asked)
	}
}

func validations(t *testing.T) *runtime.Scheme {
	t.Helper()
	s := runtime.NewScheme()
	for _, register := range registrations {
		if err := register(s); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// comparison is of what both say of the objects of one kind.
type comparison struct {
	kind
	source
	theirs   *runtime.Scheme
	found    map[string]bool // places, each with the type of an error
	compared int
}

// many is how much may be wrong with an object that is compared: ours say no more than 100 errors
// of a list.
const many = 100

func (c *comparison) run(t *testing.T) {
	different := 0
	for range *objects {
		opts := map[string]bool{}
		for _, name := range options {
			opts[name] = c.Intn(2) == 0
		}
		old := c.make()
		c.fill(old)
		obj := old.DeepCopyObject()
		c.change(obj)
		for _, op := range []operation.Type{operation.Create, operation.Update} {
			theirs, ours := c.judge(op, opts, obj, old)
			if len(theirs) >= many {
				continue
			}
			c.compared++
			want, got := c.inForce(theirs), c.inForce(unstopped(ours, theirs))
			if slices.Equal(want, got) {
				continue
			}
			if different++; different <= 5 {
				t.Errorf("operation %v:\nonly Kubernetes: %.3000q\nonly ours:       %.3000q", op, without(want, got), without(got, want))
			}
		}
	}
	if different > 5 {
		t.Errorf("%d objects are judged differently", different)
	}
}

func (c *comparison) judge(op operation.Type, opts map[string]bool, obj, old runtime.Object) (theirs, ours field.ErrorList) {
	if op == operation.Create {
		return c.theirs.Validate(context.Background(), opts, obj), c.ours(context.Background(), operation.Operation{Type: op, Options: opts}, obj, nil)
	}
	return c.theirs.ValidateUpdate(context.Background(), opts, obj, old), c.ours(context.Background(), operation.Operation{Type: op, Options: opts}, obj, old)
}

// unstopped are the errors of ours without those that a rule on trial of theirs has kept back. Such
// a rule stops those behind it, and what it finds is not told. gen leaves it out.
func unstopped(ours, theirs field.ErrorList) field.ErrorList {
	return slices.DeleteFunc(ours, func(err *field.Error) bool {
		return slices.ContainsFunc(theirs, func(trial *field.Error) bool {
			return trial.IsAlpha() && strings.HasPrefix(err.Field, trial.Field)
		})
	})
}

var index = regexp.MustCompile(`\[[^]]*\]`)

// inForce are the errors of which users hear, as text, sorted.
func (c *comparison) inForce(errs field.ErrorList) (out []string) {
	for _, err := range errs {
		if err.IsAlpha() {
			continue
		}
		c.found[index.ReplaceAllString(err.Field, "[]")+" "+string(err.Type)] = true
		out = append(out, fmt.Sprintf("%v (%s)", err, err.Origin))
	}
	slices.Sort(out)
	return out
}

// without are the texts of one list that another one lacks.
func without(all, known []string) (out []string) {
	for _, text := range all {
		if !slices.Contains(known, text) {
			out = append(out, text)
		}
	}
	return out
}
