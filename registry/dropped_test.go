package registry_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/lossless"
	"github.com/typeplane/typeplane/storage/memory"
)

// ticket is a kind whose version v1alpha1 shows the first of its assignees only.
type ticket struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              ticketSpec `json:"spec"`
	Status            struct {
		Notes []string `json:"notes,omitempty"`
	} `json:"status"`
}

type ticketSpec struct {
	Subject   string     `json:"subject,omitempty"`
	Urgency   int32      `json:"urgency,omitempty"`
	Assignees []assignee `json:"assignees,omitempty"`
}

type assignee struct {
	Name string `json:"name"`
	Role string `json:"role,omitempty"`
}

type oldTicket struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              struct {
		Title    string `json:"title,omitempty"`
		Priority string `json:"priority,omitempty"`
		Owner    string `json:"owner,omitempty"`
	} `json:"spec"`
	Status struct{} `json:"status"`
}

type ticketList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ticket `json:"items"`
}

type oldTicketList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []oldTicket `json:"items"`
}

func copyOf[T any](in *T) *T {
	out := new(T)
	text, err := json.Marshal(in)
	if err == nil {
		err = json.Unmarshal(text, out)
	}
	if err != nil {
		panic(err)
	}
	return out
}

func (t *ticket) DeepCopyObject() apiruntime.Object        { return copyOf(t) }
func (t *oldTicket) DeepCopyObject() apiruntime.Object     { return copyOf(t) }
func (t *ticketList) DeepCopyObject() apiruntime.Object    { return copyOf(t) }
func (t *oldTicketList) DeepCopyObject() apiruntime.Object { return copyOf(t) }

var (
	ticketV1    = schema.GroupVersion{Group: "desk.example.com", Version: "v1"}
	ticketAlpha = schema.GroupVersion{Group: "desk.example.com", Version: "v1alpha1"}
)

var ticketLossless = lossless.Kind[ticket, oldTicket]{
	Up: func(in *oldTicket, out *ticket, _ conversion.Scope) error {
		out.ObjectMeta, out.Spec.Subject = in.ObjectMeta, in.Spec.Title
		out.Spec.Urgency = map[string]int32{"High": 80, "Low": 10}[in.Spec.Priority]
		if in.Spec.Owner != "" {
			out.Spec.Assignees = []assignee{{Name: in.Spec.Owner}}
		}
		return nil
	},
	Down: func(in *ticket, out *oldTicket, _ conversion.Scope) error {
		out.ObjectMeta, out.Spec.Title = in.ObjectMeta, in.Spec.Subject
		switch {
		case in.Spec.Urgency > 50:
			out.Spec.Priority = "High"
		case in.Spec.Urgency > 0:
			out.Spec.Priority = "Low"
		}
		if len(in.Spec.Assignees) > 0 {
			out.Spec.Owner = in.Spec.Assignees[0].Name
		}
		return nil
	},
	Meta: func(t *oldTicket) *metav1.ObjectMeta { return &t.ObjectMeta },
	Fields: []lossless.Field[ticket]{
		{
			Path: "Spec.Assignees", At: func(t *ticket) any { return &t.Spec.Assignees },
			Same:  func(a, b *ticket) bool { return reflect.DeepEqual(a.Spec.Assignees, b.Spec.Assignees) },
			Take:  func(to, from *ticket) { to.Spec.Assignees = from.Spec.Assignees },
			Shape: &lossless.Shape{IsList: true, Keys: []string{"name"}},
		},
		{
			Path: "Spec.Urgency", At: func(t *ticket) any { return &t.Spec.Urgency },
			Same: func(a, b *ticket) bool { return a.Spec.Urgency == b.Spec.Urgency },
			Take: func(to, from *ticket) { to.Spec.Urgency = from.Spec.Urgency },
		},
		{
			Path: "Status.Notes", At: func(t *ticket) any { return &t.Status.Notes },
			Same:  func(a, b *ticket) bool { return reflect.DeepEqual(a.Status.Notes, b.Status.Notes) },
			Take:  func(to, from *ticket) { to.Status.Notes = from.Status.Notes },
			Shape: &lossless.Shape{IsList: true},
		},
	},
}

const ticketModel = `{"Ticket":{"type":"object","properties":{"apiVersion":{"type":"string"},"kind":{"type":"string"},
	"metadata":{"type":"object","properties":{"name":{"type":"string"},"namespace":{"type":"string"},"uid":{"type":"string"},"resourceVersion":{"type":"string"},
		"generation":{"type":"integer"},"creationTimestamp":{"type":"string"},"managedFields":{"type":"array","items":{"type":"object","additionalProperties":true}},
		"annotations":{"type":"object","additionalProperties":{"type":"string"}}}},
	"spec":{"type":"object","properties":{SPEC}},"status":{"type":"object","properties":{"notes":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"atomic"}}}},
	"x-kubernetes-group-version-kind":[{"group":"desk.example.com","version":"VERSION","kind":"Ticket"}]}}`

// tickets serves them in both versions. lists tells what the list of assignees is.
func tickets(t *testing.T, stored schema.GroupVersion, lists string) (v1, alpha, status rest.Resource) {
	t.Helper()
	b := runtime.NewBuilder()
	hub := runtime.AddHub(b, schema.GroupKind{Group: ticketV1.Group, Kind: "Ticket"}, func() *ticket { return new(ticket) })
	runtime.AddVersion(hub, runtime.Version[*ticket, *ticket]{
		GroupVersion: ticketV1, New: func() *ticket { return new(ticket) }, NewList: func() apiruntime.Object { return new(ticketList) },
	})
	runtime.AddVersion(hub, runtime.Version[*oldTicket, *ticket]{
		GroupVersion: ticketAlpha, New: func() *oldTicket { return new(oldTicket) }, NewList: func() apiruntime.Object { return new(oldTicketList) },
		ToHub:   func(in *oldTicket, out *ticket) error { return ticketLossless.ToHub(in, out, nil) },
		FromHub: func(in *ticket, out *oldTicket) error { return ticketLossless.FromHub(in, out, nil) },
	})
	scheme, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	def := registry.Define(registry.Definition[*ticket]{
		GroupKind: schema.GroupKind{Group: ticketV1.Group, Kind: "Ticket"}, Plural: "tickets", Singular: "ticket", Namespaced: true,
		StorageVersion: stored, Versions: []schema.GroupVersion{ticketV1, ticketAlpha},
		CopyStatus: func(from, to *ticket) { to.Status = from.Status },
		Strategy:   registry.Strategy[*ticket]{StatusOnCreate: true},
	})
	model := func(version, spec string) string {
		return strings.NewReplacer("VERSION", version, "SPEC", spec).Replace(ticketModel)
	}
	served, err := def.Serve(scheme, memory.New(memory.Config{}), registry.Options{Schemas: registry.NewSchemas(map[schema.GroupVersion]string{
		ticketV1: model("v1", `"subject":{"type":"string"},"urgency":{"type":"integer"},"assignees":{"type":"array",`+lists+
			`"items":{"type":"object","properties":{"name":{"type":"string"},"role":{"type":"string"}}}}`),
		ticketAlpha: model("v1alpha1", `"title":{"type":"string"},"priority":{"type":"string"},"owner":{"type":"string"}`),
	})})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range served {
		switch {
		case r.GroupVersion == ticketV1 && r.Subresource == "":
			v1 = r
		case r.GroupVersion == ticketAlpha && r.Subresource == "":
			alpha = r
		case r.GroupVersion == ticketAlpha && r.Subresource == "status":
			status = r
		}
	}
	return v1, alpha, status
}

// patched sends a patch and returns the warnings.
func patched(t *testing.T, r rest.Resource, patchType types.PatchType, text, manager string) (warnings []string) {
	t.Helper()
	req := new(rest.Request)
	req.OnWarning = func(text string) { warnings = append(warnings, text) }
	opts := metav1.PatchOptions{FieldManager: manager}
	if patchType == types.ApplyYAMLPatchType {
		force := true
		opts.Force = &force
		text = fmt.Sprintf(`{"apiVersion":%q,"kind":"Ticket","metadata":{"name":"w"},%s`, r.GroupVersion, text[1:])
	}
	if _, _, err := r.Patch.Patch(ctx, req, named, rest.Patch{Type: patchType, Bytes: []byte(text)}, opts); err != nil {
		t.Fatal(err)
	}
	return warnings
}

const (
	keyedByName = `"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],`
	atomicList  = `"x-kubernetes-list-type":"atomic",`
	two         = `"assignees":[{"name":"ann"},{"name":"zoe","role":"Boss"}]`
)

// TestDropped: what a write through v1alpha1 removes of the fields that it does not show is in a
// warning.
func TestDropped(t *testing.T) {
	var many []string
	for i := range 30 {
		many = append(many, fmt.Sprintf(`{"name":"%s-%d"}`, strings.Repeat("n", 200), i))
	}
	for name, tc := range map[string]struct {
		lists, spec, status string
		through             string
		patchType           types.PatchType
		patch               string
		want                string
	}{
		"cleared":               {keyedByName, two, "", "alpha", types.MergePatchType, `{"spec":{"owner":null}}`, `.spec.assignees[name="zoe"] of desk.example.com/v1`},
		"cleared by JSON patch": {keyedByName, two, "", "alpha", types.JSONPatchType, `[{"op":"remove","path":"/spec/owner"}]`, `.spec.assignees[name="zoe"] of desk.example.com/v1`},
		"atomic list":           {atomicList, two, "", "alpha", types.MergePatchType, `{"spec":{"owner":null}}`, `.spec.assignees[1] of desk.example.com/v1`},
		"another owner":         {keyedByName, two, "", "alpha", types.MergePatchType, `{"spec":{"owner":"max"}}`, ""},
		"the hidden one":        {keyedByName, two, "", "alpha", types.MergePatchType, `{"spec":{"owner":"zoe"}}`, `.spec.assignees[name="zoe"].role of desk.example.com/v1`},
		"something else":        {keyedByName, two, "", "alpha", types.MergePatchType, `{"spec":{"title":"t"}}`, ""},
		"nothing":               {keyedByName, two, "", "alpha", types.MergePatchType, `{}`, ""},
		"apply":                 {keyedByName, two, "", "alpha", types.ApplyYAMLPatchType, `{"spec":{"title":"t"}}`, ""},
		"another value":         {keyedByName, `"urgency":90`, "", "alpha", types.MergePatchType, `{"spec":{"priority":"Low"}}`, ""},
		"all that is shown":     {keyedByName, `"assignees":[{"name":"ann"}]`, "", "alpha", types.MergePatchType, `{"spec":{"owner":null}}`, ""},
		"in v1":                 {keyedByName, two, "", "v1", types.MergePatchType, `{"spec":{"assignees":null}}`, ""},
		"status":                {keyedByName, two, `"notes":["a"]`, "status", types.MergePatchType, `{"metadata":{"annotations":null}}`, `.status.notes of desk.example.com/v1`},
		"status alone":          {keyedByName, two, `"notes":["a"]`, "status", types.MergePatchType, `{"status":{}}`, ""},
		"without annotation":    {keyedByName, two, `"notes":["a"]`, "alpha", types.MergePatchType, `{"metadata":{"annotations":null}}`, `.spec.assignees[name="zoe"] of desk.example.com/v1`},
		"many and long": {keyedByName, `"assignees":[` + strings.Join(many, ",") + `]`, "", "alpha", types.MergePatchType, `{"spec":{"owner":null}}`,
			` and 19 more of desk.example.com/v1`},
	} {
		for _, stored := range []schema.GroupVersion{ticketV1, ticketAlpha} {
			v1, alpha, status := tickets(t, stored, tc.lists)
			obj := new(ticket)
			if err := json.Unmarshal([]byte(`{"metadata":{"name":"w"},"spec":{`+tc.spec+`},"status":{`+tc.status+`}}`), obj); err != nil {
				t.Fatal(err)
			}
			obj.SetGroupVersionKind(ticketV1.WithKind("Ticket"))
			content, _ := json.Marshal(obj)
			if _, err := v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, rest.Document{Body: obj, JSON: content}, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			got := patched(t, map[string]rest.Resource{"v1": v1, "alpha": alpha, "status": status}[tc.through], tc.patchType, tc.patch, "me")
			want := ""
			if tc.want != "" {
				want = "this write removed fields that desk.example.com/v1alpha1 does not show: "
			}
			if all := strings.Join(got, "|"); !strings.HasPrefix(all, want) || !strings.HasSuffix(all, tc.want) || (tc.want == "") != (all == "") || len(all) > 2000 {
				t.Errorf("%s, stored as %s: %q, want %s%s", name, stored, got, want, tc.want)
			}
		}
	}
}

// TestUnmanaged: an apply patch in which a manager gives up fields, of which some stay because
// another manager wrote in another version, says which have no manager any more.
func TestUnmanaged(t *testing.T) {
	type step struct{ through, manager, patch string }
	for name, tc := range map[string]struct {
		steps []step
		want  string // of the last step
	}{
		"in two versions": {[]step{
			{"alpha", "a", `{"spec":{"title":"t","priority":"High","owner":"ann"}}`},
			{"v1", "b", `{"spec":{"subject":"t","assignees":[{"name":"zoe"}]}}`},
			{"alpha", "a", `{"spec":{"title":"t"}}`},
		}, ".spec.owner"},
		"in one version": {[]step{
			{"v1", "a", `{"spec":{"subject":"t","urgency":80,"assignees":[{"name":"ann"}]}}`},
			{"v1", "b", `{"spec":{"subject":"t","assignees":[{"name":"zoe"}]}}`},
			{"v1", "a", `{"spec":{"subject":"t"}}`},
		}, ""},
		"managed in another version": {[]step{
			{"alpha", "a", `{"spec":{"title":"t","owner":"ann"}}`},
			{"v1", "b", `{"spec":{"subject":"t","assignees":[{"name":"ann"}]}}`},
			{"alpha", "a", `{"spec":{"priority":"Low"}}`},
		}, ""},
		"everything stays": {[]step{
			{"alpha", "a", `{"spec":{"title":"t"}}`},
			{"v1", "b", `{"spec":{"urgency":7}}`},
			{"alpha", "a", `{"spec":{"title":"t"}}`},
		}, ""},
		"gone": {[]step{
			{"alpha", "a", `{"spec":{"title":"t","owner":"ann"}}`},
			{"v1", "b", `{"spec":{"urgency":7}}`},
			{"alpha", "a", `{"spec":{"title":"t"}}`},
		}, ""},
		"of oneself": {[]step{
			{"alpha", "a", `{"spec":{"title":"t","owner":"ann"}}`},
			{"v1", "a", `{"spec":{"subject":"t"}}`},
		}, ""},
	} {
		v1, alpha, _ := tickets(t, ticketV1, keyedByName)
		var got []string
		for _, s := range tc.steps {
			got = patched(t, map[string]rest.Resource{"v1": v1, "alpha": alpha}[s.through], types.ApplyYAMLPatchType, s.patch, s.manager)
		}
		want := ""
		if tc.want != "" {
			want = `fields of desk.example.com/v1alpha1 that "a" does not apply any more keep their values and have no manager, because another manager wrote in another version: ` + tc.want
		}
		if all := strings.Join(got, "|"); all != want {
			view, err := v1.Get.Get(ctx, named, metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			t.Errorf("%s: %q, want %q\n%s", name, all, want, text(t, view))
		}
	}
}
