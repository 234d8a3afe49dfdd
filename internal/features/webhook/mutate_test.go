package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
)

func TestReview(t *testing.T) {
	w, hook := newWorld(t, Config{}), newRemote(t, allow)
	w.validate(validatingHook(t, hook, "v.example.com", ""))
	if _, err := w.create(`{"metadata":{"name":"w","labels":{"a":"b"}},"spec":{"color":"green"}}`, metav1.CreateOptions{DryRun: []string{"All"}, FieldManager: "me"}); err != nil {
		t.Fatal(err)
	}
	got := hook.seen()[0]
	want := `{"kind":{"group":"shop.example.com","version":"v1","kind":"Widget"},"resource":{"group":"shop.example.com","version":"v1","resource":"widgets"},` +
		`"requestKind":{"group":"shop.example.com","version":"v1","kind":"Widget"},"requestResource":{"group":"shop.example.com","version":"v1","resource":"widgets"},` +
		`"name":"w","namespace":"ns","operation":"CREATE","userInfo":{"username":"jane","uid":"7","groups":["staff"],"extra":{"scope":["a","b"]}},` +
		`"oldObject":null,"dryRun":true,"options":{"kind":"CreateOptions","apiVersion":"meta.k8s.io/v1","dryRun":["All"],"fieldManager":"me"}}`
	one := *got
	one.UID, one.Object.Raw = "", nil
	text, _ := json.Marshal(one)
	if s := strings.Replace(strings.Replace(string(text), `"uid":"",`, "", 1), `"object":null,`, "", 1); s != want {
		t.Errorf("%s\nwant\n%s", s, want)
	}
	var object widget.V1
	if err := json.Unmarshal(got.Object.Raw, &object); err != nil || object.Kind != "Widget" || object.APIVersion != "shop.example.com/v1" || object.Spec.Color != "green" || *object.Spec.Replicas != 1 || object.UID == "" {
		t.Errorf("%v %s", err, got.Object.Raw)
	}
	if len(got.UID) != 36 || hook.queries[0] != "timeout=10s" || hook.protocols[0] != "HTTP/2.0" {
		t.Errorf("uid %q, query %q, %s", got.UID, hook.queries[0], hook.protocols[0])
	}
}

func TestReviewOfOtherOperations(t *testing.T) {
	w, first, last := newWorld(t, Config{}), newRemote(t, allow), newRemote(t, allow)
	created, err := w.create(`{"metadata":{"name":"w"},"spec":{"color":"green"}}`)
	if err != nil {
		t.Fatal(err)
	}
	w.mutate(mutatingHook(t, first, "m.example.com", ""))
	w.validate(validatingHook(t, last, "v.example.com", ""))
	if _, err := w.update(`{"metadata":{"name":"w"},"spec":{"color":"pink"}}`); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.v1.Patch.Patch(w.ctx, w.req, rest.Name{Namespace: "ns", Name: "w"}, rest.Patch{Type: "application/merge-patch+json", Bytes: []byte(`{"spec":{"color":"grey"}}`)}, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.v1.Delete.Delete(w.ctx, w.req, rest.Name{Namespace: "ns", Name: "w"}, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, hook := range []*remote{first, last} {
		var got []string
		for _, r := range hook.seen() {
			var object, old widget.V1
			json.Unmarshal(r.Object.Raw, &object)
			json.Unmarshal(r.OldObject.Raw, &old)
			var options metav1.TypeMeta
			json.Unmarshal(r.Options.Raw, &options)
			got = append(got, fmt.Sprintf("%s %s %s->%s %s %v", r.Operation, r.Name, old.Spec.Color, object.Spec.Color, options.Kind, old.UID == created.UID && old.ResourceVersion != ""))
		}
		if want := []string{"UPDATE w green->pink UpdateOptions true", "UPDATE w pink->grey UpdateOptions true", "DELETE w grey-> DeleteOptions true"}; !slices.Equal(got, want) {
			t.Errorf("%q\nwant %q", got, want)
		}
	}
}

// A webhook that knows one version sees requests in another in its own, and what it changes there
// arrives.
func TestEquivalent(t *testing.T) {
	w := newWorld(t, Config{})
	hook := newRemote(t, patching(`[{"op":"replace","path":"/spec/colour","value":"black"}]`))
	rule := func(match string) string {
		return "matchPolicy: " + match + "\nrules: [{operations: [CREATE], apiGroups: [shop.example.com], apiVersions: [v1beta1], resources: [widgets]}]"
	}
	w.mutate(mutatingHook(t, hook, "m.example.com", rule("Equivalent")))
	for i, gv := range []string{"v1", "legacy"} {
		r, version, data := w.v1, widget.GV1, fmt.Sprintf(`{"metadata":{"name":"w%d"},"spec":{"color":"green"}}`, i)
		if gv == "legacy" {
			r, version, data = w.old, widget.GVOld, fmt.Sprintf(`{"metadata":{"name":"w%d"},"paint":"green"}`, i)
		}
		if _, err := w.createIn(r, version, data); err != nil {
			t.Fatal(err)
		}
		view, err := w.v1.Get.Get(w.ctx, rest.Name{Namespace: "ns", Name: fmt.Sprintf("w%d", i)}, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, view); got.Spec.Color != "black" {
			t.Errorf("%s: %+v", gv, got.Spec)
		}
		seen := hook.seen()[i]
		if seen.Kind.Version != "v1beta1" || seen.Resource.Version != "v1beta1" || seen.RequestKind.Version != version.Version || seen.RequestResource.Group != version.Group || !strings.Contains(string(seen.Object.Raw), `"colour":"green"`) {
			t.Errorf("%s: %+v %s", gv, seen.RequestKind, seen.Object.Raw)
		}
	}
	w.mutate(mutatingHook(t, hook, "m.example.com", rule("Exact")))
	if got, err := w.create(`{"metadata":{"name":"x"},"spec":{"color":"green"}}`); err != nil || got.Spec.Color != "green" {
		t.Errorf("%+v %v", got, err)
	}
}

// TestWhatWebhooksSetBelongsToNobody, in whatever version they are asked: who writes owns what it
// said, and what a webhook makes of managedFields counts only if it can be understood.
func TestWhatWebhooksSetBelongsToNobody(t *testing.T) {
	const color = `{"f:spec":{"f:color":{},"f:replicas":{}}}`
	for _, version := range []string{"v1", "v1beta1"} {
		w := newWorld(t, Config{})
		hook := newRemote(t, patching(`[{"op":"add","path":"/metadata/labels","value":{"injected":"yes"}},{"op":"replace","path":"/metadata/managedFields/0/fieldsType","value":"FieldsV2"}]`))
		w.mutate(mutatingHook(t, hook, "m.example.com", "rules: [{operations: [CREATE, UPDATE], apiGroups: [shop.example.com], apiVersions: ["+version+"], resources: [widgets]}]"))
		got, err := w.create(`{"metadata":{"name":"w"},"spec":{"color":"green"}}`, metav1.CreateOptions{FieldManager: "me"})
		if err != nil || got.Labels["injected"] != "yes" || len(got.ManagedFields) != 1 || got.ManagedFields[0].FieldsV1.GetRawString() != color {
			t.Fatalf("%s: created with %+v, %v", version, got, err)
		}
		if len(w.warnings) != 1 || !strings.Contains(w.warnings[0], `was in an invalid state after admission`) || !strings.Contains(w.warnings[0], `"FieldsV2"`) {
			t.Errorf("%s: warnings %q", version, w.warnings)
		}
		if got, err = w.update(`{"metadata":{"name":"w"},"spec":{"color":"green","options":{"a":"b"}}}`); err != nil {
			t.Fatal(err)
		}
		var owned string
		for _, e := range got.ManagedFields {
			owned += e.FieldsV1.GetRawString()
		}
		if got.Labels["injected"] != "yes" || strings.Contains(owned, "injected") || !strings.Contains(owned, "f:options") {
			t.Errorf("%s: updated to %+v with owners %s", version, got, owned)
		}
	}
}

func TestOrderOfMutations(t *testing.T) {
	w := newWorld(t, Config{})
	label := func(value string) *remote {
		return newRemote(t, func(r *admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
			var object widget.V1
			json.Unmarshal(r.Object.Raw, &object)
			return patching(`[{"op":"add","path":"/spec/color","value":"` + object.Spec.Color + value + `"}]`)(r)
		})
	}
	a, b, c := label("a"), label("b"), label("c")
	w.mutating.Set([]*admissionregistrationv1.MutatingWebhookConfiguration{
		{ObjectMeta: metav1.ObjectMeta{Name: "z"}, Webhooks: []admissionregistrationv1.MutatingWebhook{mutatingHook(t, c, "a.example.com", "")}},
		{ObjectMeta: metav1.ObjectMeta{Name: "y"}, Webhooks: []admissionregistrationv1.MutatingWebhook{mutatingHook(t, b, "b.example.com", ""), mutatingHook(t, a, "a.example.com", "")}},
	})
	got, err := w.create(`{"metadata":{"name":"w"},"spec":{"color":"-"}}`)
	if err != nil || got.Spec.Color != "-bac" {
		t.Errorf("%+v %v", got, err)
	}
	for i, hook := range []string{"b", "a", "a"} {
		configuration := map[bool]string{true: "z", false: "y"}[i == 2]
		want := fmt.Sprintf(`{"configuration":%q,"webhook":"%s.example.com","mutated":true}`, configuration, hook)
		if got := w.annotations[fmt.Sprintf("mutation.webhook.admission.k8s.io/round_0_index_%d", i)]; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestPatchesInTheAuditLog: what a webhook changed is kept where bodies are, and nowhere else.
func TestPatchesInTheAuditLog(t *testing.T) {
	const patch = `[{"op":"add","path":"/spec/color","value":"<hidden>"}]`
	w := newWorld(t, Config{})
	hook := newRemote(t, patching(patch))
	w.mutating.Set([]*admissionregistrationv1.MutatingWebhookConfiguration{
		{ObjectMeta: metav1.ObjectMeta{Name: "c"}, Webhooks: []admissionregistrationv1.MutatingWebhook{mutatingHook(t, hook, "m.example.com", "")}},
	})
	for bodies, want := range map[rest.Bodies]bool{rest.BodiesLeftOut: false, rest.BodiesSecret: false, rest.BodiesKept: true} {
		clear(w.annotations)
		w.req.Bodies = bodies
		if _, err := w.create(`{"metadata":{"generateName":"w"}}`); err != nil {
			t.Fatal(err)
		}
		if got := w.annotations["mutation.webhook.admission.k8s.io/round_0_index_0"]; got != `{"configuration":"c","webhook":"m.example.com","mutated":true}` {
			t.Errorf("%v: %s", bodies, got)
		}
		text, there := w.annotations["patch.webhook.admission.k8s.io/round_0_index_0"]
		if there != want || !want && strings.Contains(fmt.Sprint(w.annotations), "hidden") {
			t.Errorf("%v: %q", bodies, w.annotations)
		}
		if !want {
			continue
		}
		var got struct {
			Configuration, Webhook, PatchType string
			Patch                             []struct{ Op, Path, Value string }
		}
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		if s := fmt.Sprint(got); s != "{c m.example.com JSONPatch [{add /spec/color <hidden>}]}" {
			t.Error(s)
		}
	}
	// A patch that does not fit is in no log.
	clear(w.annotations)
	w.mutating.Set([]*admissionregistrationv1.MutatingWebhookConfiguration{
		{ObjectMeta: metav1.ObjectMeta{Name: "c"}, Webhooks: []admissionregistrationv1.MutatingWebhook{mutatingHook(t, newRemote(t, patching(`[{"op":"remove","path":"/nowhere"}]`)), "m.example.com", "")}},
	})
	w.req.Bodies = rest.BodiesKept
	if _, err := w.create(`{"metadata":{"generateName":"w"}}`); err == nil || strings.Contains(fmt.Sprint(w.annotations), "nowhere") {
		t.Errorf("%v, %q", err, w.annotations)
	}
}

// Webhooks that want to are asked once more when others have made a change since.
func TestReinvocation(t *testing.T) {
	const (
		again = "reinvocationPolicy: IfNeeded"
		never = "reinvocationPolicy: Never"
	)
	set := func(path, value string) string {
		return fmt.Sprintf(`[{"op":"add","path":"/metadata/labels/%s","value":"%s"}]`, path, value)
	}
	for _, tt := range []struct {
		name, first, second    string
		firstPatch, afterPatch string
		plugin                 bool // one that changes things in each round
		want                   [2]int
	}{
		{name: "nobody changes", first: again, second: again, want: [2]int{1, 1}},
		{name: "the later one changes", first: again, second: again, afterPatch: set("b", "2"), want: [2]int{2, 1}},
		{name: "the earlier one changes", first: again, second: again, firstPatch: set("a", "1"), want: [2]int{1, 1}},
		{name: "both change", first: again, second: again, firstPatch: set("a", "1"), afterPatch: set("b", "2"), want: [2]int{2, 1}},
		{name: "the earlier one does not want to", first: never, second: again, afterPatch: set("b", "2"), want: [2]int{1, 1}},
		{name: "a change that is none", first: again, second: again, afterPatch: set("c", "0"), want: [2]int{1, 1}},
		{name: "a plug-in changes in the second round", first: again, second: again, afterPatch: set("b", "2"), plugin: true, want: [2]int{2, 2}},
		{name: "a plug-in changes, but nobody asks for a second round", first: again, second: again, plugin: true, want: [2]int{1, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, Config{})
			answer := func(patch string) *remote {
				if patch == "" {
					return newRemote(t, allow)
				}
				return newRemote(t, patching(patch))
			}
			a, b := answer(tt.firstPatch), answer(tt.afterPatch)
			w.mutate(mutatingHook(t, a, "a.example.com", tt.first), mutatingHook(t, b, "b.example.com", tt.second))
			rounds := 0
			w.chain.Set([]admission.Plugin{{Name: "P", Mutate: func(_ context.Context, r *admission.Request) error {
				if rounds++; tt.plugin {
					r.Object.(*widget.Widget).Labels["p"] = fmt.Sprint(rounds)
				}
				return nil
			}}, w.mutating.Plugin()})
			if _, err := w.create(`{"metadata":{"name":"w","labels":{"c":"0"}}}`); err != nil {
				t.Fatal(err)
			}
			if got := [2]int{len(a.seen()), len(b.seen())}; got != tt.want {
				t.Errorf("%v calls, want %v; %d rounds", got, tt.want, rounds)
			}
			changed := tt.firstPatch != "" || tt.afterPatch != "" && !strings.Contains(tt.afterPatch, "/c")
			if want := map[bool]int{true: 2, false: 1}[changed]; rounds != want {
				t.Errorf("%d rounds, want %d", rounds, want)
			}
		})
	}
}

// What a webhook may not do.
func TestPatchesThatDoNotFit(t *testing.T) {
	for patch, want := range map[string]string{
		`[{"op":"add","path":"/spec/colr","value":"x"}]`:                  `500 strict decoding error: unknown field "spec.colr"`,
		`[{"op":"replace","path":"/spec/replicas","value":"x"}]`:          "500 the patch of admission webhook",
		`[{"op":"replace","path":"/kind","value":"Gadget"}]`:              "500 the patch of admission webhook",
		`[{"op":"remove","path":"/spec/none"}]`:                           "500 the patch of admission webhook",
		`[{"op":"test","path":"/spec/color","value":"x"}]`:                "500 the patch of admission webhook",
		`[{"op":"replace","path":"","value":null}]`:                       "500 the patch of admission webhook",
		`[{"op":"replace","path":"/metadata","value":null}]`:              "",
		`[{"op":"replace","path":"/metadata/namespace","value":"other"}]`: "400 does not match the namespace sent on the request",
		`[]`: "",
		`[{"op":"add","path":"/metadata/labels","value":{"a":"b"}}]`: "",
	} {
		for _, policy := range []string{"Fail", "Ignore"} {
			w := newWorld(t, Config{})
			w.mutate(mutatingHook(t, newRemote(t, patching(patch)), "m.example.com", "failurePolicy: "+policy))
			_, err := w.create(`{"metadata":{"generateName":"w","namespace":"ns"},"spec":{"color":"red"}}`)
			code, message, refused := strings.Cut(want, " ")
			if !refused {
				if strings.Contains(patch, "null") && err != nil {
					continue // an object without a name is refused by the kind
				}
				if err != nil {
					t.Errorf("%s: %v", patch, err)
				}
				continue
			}
			if s := status(err); fmt.Sprint(s.Code) != code || !strings.Contains(s.Message, message) {
				t.Errorf("%s %s: %d %v\nwant %s", policy, patch, s.Code, err, want)
			}
		}
	}
}

// A deletion can't be changed.
func TestPatchOfADeletion(t *testing.T) {
	w := newWorld(t, Config{})
	if _, err := w.create(`{"metadata":{"name":"w"}}`); err != nil {
		t.Fatal(err)
	}
	w.mutate(mutatingHook(t, newRemote(t, patching(`[{"op":"add","path":"/spec/color","value":"x"}]`)), "m.example.com", "failurePolicy: Ignore"))
	_, err := w.v1.Delete.Delete(w.ctx, w.req, rest.Name{Namespace: "ns", Name: "w"}, metav1.DeleteOptions{})
	wantStatus(t, err, 500, `admission webhook "m.example.com" attempted to modify the object, which is not supported for this operation`)
}

// A webhook can't rename what is there.
func TestPatchOfTheName(t *testing.T) {
	w := newWorld(t, Config{})
	if _, err := w.create(`{"metadata":{"name":"w"}}`); err != nil {
		t.Fatal(err)
	}
	w.mutate(mutatingHook(t, newRemote(t, patching(`[{"op":"replace","path":"/metadata/name","value":"x"}]`)), "m.example.com", ""))
	_, err := w.update(`{"metadata":{"name":"w"},"spec":{"color":"pink"}}`)
	wantStatus(t, err, 400, "the name of the object (x) does not match")
}
