package webhook

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// The versions of AdmissionReview that can be sent. They have the same fields.
const (
	reviewV1      = "v1"
	reviewV1beta1 = "v1beta1"
)

var errReview = errors.New("webhook does not accept known AdmissionReview versions (v1, v1beta1)")

// reviewVersion returns the first version that a webhook understands and that can be sent.
func reviewVersion(understood []string) (string, error) {
	for _, v := range understood {
		if v == reviewV1 || v == reviewV1beta1 {
			return v, nil
		}
	}
	return "", fmt.Errorf("could not create admission objects: %w", errReview)
}

// envelope makes what is sent, with a uid of its own. request may be shared.
func envelope(version string, request *admissionv1.AdmissionRequest) (uid types.UID, body []byte, err error) {
	own := *request
	own.UID = types.UID(uuid.NewString())
	body, err = json.Marshal(&admissionv1.AdmissionReview{TypeMeta: reviewType(version), Request: &own})
	return own.UID, body, err
}

func reviewType(version string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: admissionv1.GroupName + "/" + version, Kind: "AdmissionReview"}
}
