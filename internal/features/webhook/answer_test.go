package webhook

import (
	"net/http"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
)

func TestReadAnswer(t *testing.T) {
	review := func(version, response string) string {
		return `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/` + version + `","response":{` + response + `}}`
	}
	for _, tt := range []struct {
		data, version string
		mutating      bool
		want          string // the patch, or of an error a part
		bad           bool
	}{
		{review("v1", `"uid":"u","allowed":true`), "v1", true, "", false},
		{review("v1", `"uid":"u","allowed":true,"more":"fields"`), "v1", false, "", false},
		{review("v1", `"uid":"u","allowed":true,"patchType":"JSONPatch","patch":"W10="`), "v1", true, "[]", false},
		{review("v1", `"uid":"u","allowed":true,"patch":"W10="`), "v1", true, "webhook returned response.patch but not response.patchType", true},
		{review("v1", `"uid":"u","allowed":true,"patchType":"JSONPatch"`), "v1", true, "webhook returned response.patchType but not response.patch", true},
		{review("v1", `"uid":"u","allowed":true,"patchType":"","patch":"W10="`), "v1", true, `unsupported patch type ""`, true},
		{review("v1", `"uid":"u","allowed":true,"patchType":"JSONPatch"`), "v1", false, "validating webhook may not return response.patchType", true},
		{review("v1", `"uid":"u","allowed":true,"patch":"W10="`), "v1", false, "validating webhook may not return response.patch", true},
		{review("v1", `"uid":"","allowed":true`), "v1", false, `expected response.uid="u", got ""`, true},
		{review("v1", `"UID":"u","allowed":true`), "v1", false, `expected response.uid="u", got ""`, true},
		{`{"response":{"uid":"u","allowed":true}}`, "v1", false, "got , Kind=", true},
		{review("v1", `"uid":"u","allowed":"yes"`), "v1", false, "it is no AdmissionReview", true},
		{review("v1", `"uid":"`+strings.Repeat("x", 200)+`","allowed":true`), "v1", false, strings.Repeat("x", 64) + `..."`, true},
		// The older version asks for less.
		{review("v1beta1", `"allowed":true,"patch":"W10="`), "v1beta1", true, "[]", false},
		{review("v1beta1", `"allowed":true,"patch":"W10="`), "v1beta1", false, "", false},
		{`{"response":{"allowed":true}}`, "v1beta1", false, "", false},
	} {
		a, err := readAnswer([]byte(tt.data), tt.version, "u", tt.mutating)
		switch {
		case tt.bad && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: %v, want %s", tt.data, err, tt.want)
		case !tt.bad && (err != nil || !a.Allowed || string(a.patch) != tt.want):
			t.Errorf("%s: %+v %v", tt.data, a, err)
		}
	}
}

func TestReviewVersions(t *testing.T) {
	for want, versions := range map[string][]string{"v1": {"v2", "v1", "v1beta1"}, "v1beta1": {"v1beta1", "v1"}} {
		if got, err := reviewVersion(versions); got != want || err != nil {
			t.Errorf("%v: %s %v", versions, got, err)
		}
		w, hook := newWorld(t, Config{}), newRemote(t, patching(`[{"op":"add","path":"/spec/color","value":"black"}]`))
		h := mutatingHook(t, hook, "m.example.com", "")
		h.AdmissionReviewVersions = versions
		w.mutate(h)
		if got, err := w.create(`{"metadata":{"name":"w"}}`); err != nil || got.Spec.Color != "black" {
			t.Errorf("%v: %+v %v", versions, got, err)
		}
	}
	w, hook := newWorld(t, Config{}), newRemote(t, allow)
	h := mutatingHook(t, hook, "m.example.com", "")
	h.AdmissionReviewVersions = []string{"v2"}
	w.mutate(h)
	_, err := w.create(`{"metadata":{"name":"w"}}`)
	wantStatus(t, err, 500, `failed calling webhook "m.example.com": could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)`)
}

// Whatever a webhook sends, it is read or refused, and a no of it is an error that HTTP can send.
func FuzzReadAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"u","allowed":true,"patchType":"JSONPatch","patch":"W10="}}`,
		`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"u","allowed":false,"status":{"code":403,"message":"no","details":{"causes":[{"reason":"x"}]}}}}`,
		`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"u","allowed":false,"status":{"code":-9,"status":"Success"},"warnings":["a"],"auditAnnotations":{"a":"b"}}}`,
		`{"response":{}}`, `null`, `[]`, `"`, `{"response":{"patch":1}}`,
	} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, mutating bool) {
		for _, version := range []string{reviewV1, reviewV1beta1} {
			a, err := readAnswer(data, version, "u", mutating)
			if err != nil {
				if a != nil {
					t.Fatal("an answer beside an error")
				}
				continue
			}
			if a.AdmissionResponse == nil || version == reviewV1 && a.UID != "u" || !mutating && a.patch != nil {
				t.Fatalf("%+v", a)
			}
			if version == reviewV1 && a.patch != nil && *a.PatchType != admissionv1.PatchTypeJSONPatch {
				t.Fatalf("%+v", a)
			}
			s := denial("x", a.Result).ErrStatus
			if s.Code < http.StatusBadRequest || s.Code > maxCode || s.Status != "Failure" || !strings.HasPrefix(s.Message, `admission webhook "x" denied the request`) {
				t.Fatalf("%+v", s)
			}
		}
	})
}
