package webhook

import (
	"errors"
	"fmt"
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kjson "sigs.k8s.io/json"
)

// answer is what a webhook said: an AdmissionReview that has a response and answers the question.
type answer struct {
	*admissionv1.AdmissionResponse
	// patch is what is to be changed, a JSON patch; nil for nothing.
	patch []byte
}

// readAnswer decodes what a webhook sent. The error is for whoever looks after the webhook: it
// quotes nothing of data.
func readAnswer(data []byte, version string, uid types.UID, mutating bool) (*answer, error) {
	var r admissionv1.AdmissionReview
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, &r); err != nil {
		return nil, fmt.Errorf("it is no AdmissionReview: %w", err)
	}
	if r.Response == nil {
		return nil, errors.New("webhook response was absent")
	}
	a := &answer{AdmissionResponse: r.Response}
	if version == reviewV1beta1 {
		// Nobody ever had to say in it to which question it belongs, and of which type the patch
		// is.
		if mutating && len(a.Patch) > 0 {
			a.patch = a.Patch
		}
		return a, nil
	}
	if a.UID != uid {
		return nil, fmt.Errorf("expected response.uid=%q, got %q", uid, excerpt(string(a.UID)))
	}
	if want := reviewType(version); r.TypeMeta != want {
		return nil, fmt.Errorf("expected webhook response of %s, Kind=%s, got %s, Kind=%s", want.APIVersion, want.Kind, excerpt(r.APIVersion), excerpt(r.Kind))
	}
	if !mutating {
		switch {
		case len(a.Patch) > 0:
			return nil, errors.New("validating webhook may not return response.patch")
		case a.PatchType != nil:
			return nil, errors.New("validating webhook may not return response.patchType")
		}
		return a, nil
	}
	switch {
	case len(a.Patch) > 0 && a.PatchType == nil:
		return nil, errors.New("webhook returned response.patch but not response.patchType")
	case len(a.Patch) == 0 && a.PatchType != nil:
		return nil, errors.New("webhook returned response.patchType but not response.patch")
	case a.PatchType != nil && *a.PatchType != admissionv1.PatchTypeJSONPatch:
		return nil, fmt.Errorf("unsupported patch type %q", excerpt(string(*a.PatchType)))
	}
	if len(a.Patch) > 0 {
		a.patch = a.Patch
	}
	return a, nil
}

// excerpt is the beginning of what a stranger wrote.
func excerpt(text string) string {
	const length = 64
	if len(text) <= length {
		return text
	}
	return text[:length] + "..."
}

// denial is the status of a request that a webhook does not allow. It is always an error, whatever
// the webhook made of it.
func denial(name string, result *metav1.Status) *apierrors.StatusError {
	var s metav1.Status
	if result != nil {
		s = *result
	}
	if s.Code < http.StatusBadRequest {
		s.Code = http.StatusBadRequest
	}
	if s.Code > maxCode {
		s.Code = http.StatusInternalServerError
	}
	s.Status = metav1.StatusFailure
	by := fmt.Sprintf("admission webhook %q denied the request", name)
	switch {
	case s.Message != "":
		s.Message = by + ": " + s.Message
	case s.Reason != "":
		s.Message = by + ": " + string(s.Reason)
	default:
		s.Message = by + " without explanation"
	}
	return &apierrors.StatusError{ErrStatus: s}
}

// maxCode is the greatest code that HTTP can send.
const maxCode = 999
