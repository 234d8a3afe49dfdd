package registry_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/storage"
)

func TestCreateFillsIn(t *testing.T) {
	s := serve(t, strategy{})
	// What only the server sets is not taken from the client.
	got := s.mustCreate(`{"metadata":{"name":"w","uid":"mine","generation":77,"creationTimestamp":"2001-01-01T00:00:00Z",
		"deletionTimestamp":"2001-01-01T00:00:00Z","deletionGracePeriodSeconds":3,"selfLink":"/me","labels":{"a":"b"},
		"managedFields":[{"manager":"me","operation":"Update","apiVersion":"v1"}]},"spec":{"parts":[{"name":"wheel"}]}}`)

	if !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(string(got.UID)) {
		t.Errorf("uid %q is not a random UUID", got.UID)
	}
	if age := time.Since(got.CreationTimestamp.Time); age < 0 || age > time.Minute {
		t.Errorf("creationTimestamp is %v old", age)
	}
	if got.ResourceVersion != fmt.Sprint(s.Revision()) {
		t.Errorf("resourceVersion %q, the database is at %d", got.ResourceVersion, s.Revision())
	}
	got.UID, got.CreationTimestamp, got.ResourceVersion = "", metav1.Time{}, ""
	one := int32(1)
	want := &widget.V1{
		TypeMeta:   metav1.TypeMeta{Kind: "Widget", APIVersion: "shop.example.com/v1"},
		ObjectMeta: metav1.ObjectMeta{Name: "w", Namespace: "ns", Generation: 1, Labels: map[string]string{"a": "b"}},
		Spec:       widget.V1Spec{Color: "red", Replicas: &one, Parts: []widget.Part{{Name: "wheel", Count: 1}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if again := s.mustGet(named); again.ResourceVersion == "" || cmp.Diff(want.Spec, again.Spec) != "" {
		t.Errorf("read again: %+v", again)
	}
}

func TestCreateInAnotherVersion(t *testing.T) {
	s := serve(t, strategy{})
	view, err := s.beta.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, parse(t, widget.GV1beta1, `{"metadata":{"name":"w"}}`), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := text(t, view); !strings.Contains(got, `"spec":{"colour":"blue"}`) || !strings.HasPrefix(got, `{"kind":"Widget","apiVersion":"shop.example.com/v1beta1",`) {
		t.Errorf("the answer is not of the version asked for: %s", got)
	}
	// The default of the request's version counts, not that of the storage version.
	if got := s.mustGet(named); got.Spec.Color != "blue" || *got.Spec.Replicas != 0 {
		t.Errorf("as v1: %+v", got.Spec)
	}
	if !strings.HasPrefix(s.raw(named), "k8s\x00\x0a\x1d\x0a\x13shop.example.com/v1\x12\x06Widget") {
		t.Errorf("stored as %q", s.raw(named))
	}
}

func TestCreateRefuses(t *testing.T) {
	noRed := strategy{Validate: func(_ context.Context, w *widget.Widget) (errs field.ErrorList) {
		if w.Spec.Color == "red" {
			errs = append(errs, field.Invalid(field.NewPath("spec", "color"), w.Spec.Color, "we are out of it"))
		}
		return errs
	}}
	for _, tc := range []struct {
		name, object string
		code         int32
		reason       metav1.StatusReason
		message      string
		causes       []string
	}{{
		name: "another namespace", object: `{"metadata":{"name":"w","namespace":"other"}}`,
		code: 400, reason: "BadRequest",
		message: `the namespace of the provided object does not match the namespace sent on the request: metadata.namespace is "other", the URL says "ns"`,
	}, {
		name: "a resourceVersion", object: `{"metadata":{"name":"w","resourceVersion":"5"},"spec":{"color":"blue"}}`,
		code: 400, reason: "BadRequest", message: "resourceVersion should not be set on objects to be created: remove metadata.resourceVersion",
	}, {
		name: "no name", object: `{"spec":{"color":"blue"}}`,
		code: 422, reason: "Invalid", message: `Widget.shop.example.com "" is invalid: metadata.name: Required value: name or generateName is required`,
		causes: []string{"metadata.name"},
	}, {
		name: "everything wrong at once", object: `{"metadata":{"name":"w","labels":{"-":"x"},"finalizers":["?"]}}`,
		code: 422, reason: "Invalid", message: "", causes: []string{"metadata.finalizers", "metadata.labels", "spec.color"},
	}, {
		name: "a name that is no path segment", object: `{"metadata":{"name":"a/b"},"spec":{"color":"blue"}}`,
		code: 422, reason: "Invalid", message: "", causes: []string{"metadata.name"},
	}} {
		t.Run(tc.name, func(t *testing.T) {
			s := serve(t, noRed)
			before := s.Revision()
			_, err := s.v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, parse(t, widget.GV1, tc.object), metav1.CreateOptions{})
			if tc.message == "" {
				tc.message = status(t, err).Message
			}
			wantStatus(t, err, tc.code, tc.reason, tc.message)
			var fields []string
			if d := status(t, err).Details; d != nil {
				for _, c := range d.Causes {
					fields = append(fields, c.Field)
				}
			}
			slices.Sort(fields)
			if diff := cmp.Diff(tc.causes, fields); diff != "" {
				t.Errorf("causes (-want +got)\n%s", diff)
			}
			if s.Revision() != before {
				t.Error("something was written")
			}
		})
	}
}

func TestCreateRefusesWhatCantBeConverted(t *testing.T) {
	s := serve(t, strategy{})
	_, err := s.beta.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, parse(t, widget.GV1beta1, `{"metadata":{"name":"w"},"spec":{"colour":"unconvertible"}}`), metav1.CreateOptions{})
	wantStatus(t, err, 400, "BadRequest", `convert Widget in shop.example.com/v1beta1 to its hub: spec.colour: "unconvertible" has no color`)
}

func TestCreateWhatExists(t *testing.T) {
	s := serve(t, strategy{})
	s.mustCreate(`{"metadata":{"name":"w","finalizers":["example.com/wait"]}}`)
	for _, dryRun := range [][]string{nil, {"All"}} {
		_, err := s.v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, parse(t, widget.GV1, `{"metadata":{"name":"w"}}`), metav1.CreateOptions{DryRun: dryRun})
		wantStatus(t, err, 409, "AlreadyExists", `widgets.shop.example.com "w" already exists`)
	}
	s.mustDelete()
	_, err := s.v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, parse(t, widget.GV1, `{"metadata":{"name":"w"}}`), metav1.CreateOptions{})
	wantStatus(t, err, 409, "AlreadyExists", `object is being deleted: widgets.shop.example.com "w" already exists`)
}

// As in Kubernetes, a resourceVersion is refused after everything else, and not in a dry run, which
// shows it again.
func TestCreateWithResourceVersion(t *testing.T) {
	const mistake = "resourceVersion should not be set on objects to be created: remove metadata.resourceVersion"
	for text, tc := range map[string]struct{ dry, want, shown string }{
		`{"metadata":{"name":"w","resourceVersion":"5"}}`:                              {want: mistake, shown: "5"},
		`{"metadata":{"generateName":"w","resourceVersion":"5"}}`:                      {want: mistake, shown: "5"},
		`{"metadata":{"name":"w","resourceVersion":"0"}}`:                              {},
		`{"metadata":{"name":"w","resourceVersion":"none"}}`:                           {},
		`{"metadata":{"name":"w","resourceVersion":"5"},"spec":{"replicas":5000}}`:     {dry: "Invalid", want: "Invalid"},
		`{"metadata":{"name":"w","resourceVersion":"5"},"spec":{"color":"forbidden"}}`: {dry: "Forbidden", want: "Forbidden"},
		`{"metadata":{"name":"there","resourceVersion":"5"}}`:                          {dry: "AlreadyExists", want: mistake},
	} {
		for _, dryRun := range [][]string{nil, {metav1.DryRunAll}} {
			chain := new(admission.Chain)
			chain.Set([]admission.Plugin{{Name: "P", Validate: func(_ context.Context, r *admission.Request) error {
				if r.Object.(*widget.Widget).Spec.Color == "forbidden" {
					return apierrors.NewForbidden(schema.GroupResource{}, "w", nil)
				}
				return nil
			}}})
			s := serveWith(t, strategy{}, registry.Options{Admission: chain}, nil)
			s.mustCreate(`{"metadata":{"name":"there"}}`)
			view, err := s.v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, parse(t, widget.GV1, text), metav1.CreateOptions{DryRun: dryRun})
			want := tc.want
			if dryRun != nil {
				want = tc.dry
			}
			switch {
			case want == "" && err != nil:
				t.Errorf("%s, dry run %v: %v", text, dryRun, err)
			case want == "" && dryRun != nil:
				if shown := read[*widget.V1](t, view).ResourceVersion; shown != tc.shown {
					t.Errorf("%s: a dry run shows %q", text, shown)
				}
			case want != "" && err == nil:
				t.Errorf("%s, dry run %v: accepted, want %s", text, dryRun, want)
			case want != "":
				if s := status(t, err); s.Message != want && string(s.Reason) != want {
					t.Errorf("%s, dry run %v: %v, want %s", text, dryRun, err, want)
				}
			}
		}
	}
}

func TestCreateDryRun(t *testing.T) {
	s := serve(t, strategy{})
	before := s.Revision()
	view, err := s.v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, parse(t, widget.GV1, `{"metadata":{"name":"w"}}`), metav1.CreateOptions{DryRun: []string{"All"}})
	if err != nil {
		t.Fatal(err)
	}
	got := read[*widget.V1](t, view)
	if got.UID == "" || got.ResourceVersion != "" || got.Spec.Color != "red" {
		t.Errorf("answer %+v", got)
	}
	if s.Revision() != before {
		t.Error("something was written")
	}
}

func TestGenerateName(t *testing.T) {
	s := serve(t, strategy{})
	got := s.mustCreate(`{"metadata":{"generateName":"` + strings.Repeat("long", 20) + `"}}`)
	if !regexp.MustCompile(`^(long){14}lo[bcdfghjklmnpqrstvwxz2456789]{5}$`).MatchString(got.Name) {
		t.Errorf("generated %q", got.Name)
	}
	if got := s.mustCreate(`{"metadata":{"name":"given","generateName":"x-"}}`); got.Name != "given" {
		t.Errorf("a name that was given became %q", got.Name)
	}
}

// taken says of the first names that they are taken.
type taken struct {
	storage.Interface
	names *[]string
	free  int
}

func (s taken) Create(ctx context.Context, key string, value []byte, with ...storage.Op) (storage.Entry, error) {
	*s.names = append(*s.names, key)
	if len(*s.names) <= s.free {
		return storage.Entry{}, &storage.Error{Code: storage.CodeExists, Op: "create", Key: key}
	}
	return s.Interface.Create(ctx, key, value, with...)
}

func TestGenerateNameTriesAgain(t *testing.T) {
	for _, tc := range []struct {
		collisions, attempts int
		ok                   bool
	}{{0, 1, true}, {3, 4, true}, {7, 8, true}, {8, 8, false}} {
		var names []string
		prepared := 0
		count := strategy{PrepareForCreate: func(_ context.Context, w *widget.Widget) {
			prepared++
			w.Spec.Replicas++ // each attempt begins with the object as it was
		}}
		s := serveThrough(t, count, func(store storage.Interface) storage.Interface { return taken{store, &names, tc.collisions} })
		view, err := s.v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, parse(t, widget.GV1, `{"metadata":{"generateName":"w-"}}`), metav1.CreateOptions{})
		slices.Sort(names)
		if len(names) != tc.attempts || prepared != tc.attempts || len(slices.Compact(names)) != tc.attempts {
			t.Errorf("%d collisions: %d attempts with %d names, want %d", tc.collisions, prepared, len(names), tc.attempts)
		}
		if tc.ok {
			if err != nil {
				t.Fatal(err)
			}
			if got := read[*widget.V1](t, view); *got.Spec.Replicas != 2 {
				t.Errorf("%d collisions: %d replicas", tc.collisions, *got.Spec.Replicas)
			}
			continue
		}
		st := status(t, err)
		if st.Code != 409 || st.Reason != "AlreadyExists" || st.Details.RetryAfterSeconds != 1 {
			t.Errorf("after 8 collisions: %+v", st)
		}
	}
}

func TestCreateRunsTheStrategyInOrder(t *testing.T) {
	var order []string
	s := serve(t, strategy{
		PrepareForCreate: func(_ context.Context, w *widget.Widget) {
			order = append(order, "prepare "+w.Name)
			if w.UID == "" || w.Generation != 1 || w.CreationTimestamp.IsZero() || w.Spec.Color != "red" {
				t.Errorf("prepare sees %+v", w)
			}
			w.Status = widget.Status{}
		},
		Validate: func(_ context.Context, w *widget.Widget) field.ErrorList {
			order = append(order, "validate "+w.Status.Phase)
			return nil
		},
		Canonicalize: func(w *widget.Widget) {
			order = append(order, "canonicalize")
			w.Spec.Parts = slices.Clone(w.Spec.Parts)
			slices.SortFunc(w.Spec.Parts, func(a, b widget.Part) int { return strings.Compare(a.Name, b.Name) })
		},
	})
	got := s.mustCreate(`{"metadata":{"name":"w"},"spec":{"parts":[{"name":"z"},{"name":"a"}]},"status":{"phase":"Done"}}`)
	if diff := cmp.Diff([]string{"prepare w", "validate ", "canonicalize"}, order); diff != "" {
		t.Error(diff)
	}
	if got.Spec.Parts[0].Name != "a" || got.Status.Phase != "" {
		t.Errorf("stored %+v", got)
	}
}
