package webhook

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/server/auth"
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

// question is a request in the words of AdmissionReview, as often as different webhooks want to see it. It is for one
// goroutine.
type question struct {
	r       *admission.Request
	user    authenticationv1.UserInfo
	options []byte
	// objects and olds are what has been encoded already; the objects are of the Object that the request has at present.
	objects, olds map[admission.Version][]byte
}

func newQuestion(r *admission.Request, user *auth.User) (*question, error) {
	q := &question{r: r, user: userInfo(user), objects: map[admission.Version][]byte{}, olds: map[admission.Version][]byte{}}
	var err error
	q.options, err = encodeOptions(r.Options)
	return q, err
}

// serverUser is who the server is in what it does by itself.
const serverUser = "system:apiserver"

func userInfo(u *auth.User) authenticationv1.UserInfo {
	if u == nil {
		u = &auth.User{Name: serverUser, Groups: []string{auth.GroupMasters, auth.GroupAuthenticated}}
	}
	info := authenticationv1.UserInfo{Username: u.Name, UID: u.UID, Groups: slices.Clone(u.Groups)}
	for key, values := range u.Extra {
		if info.Extra == nil {
			info.Extra = map[string]authenticationv1.ExtraValue{}
		}
		info.Extra[key] = values
	}
	return info
}

// encodeOptions says of options what they are; nobody has had to until now.
func encodeOptions(options apiruntime.Object) ([]byte, error) {
	if options == nil {
		return nil, nil
	}
	named, kind := options.DeepCopyObject(), ""
	switch options.(type) {
	case *metav1.CreateOptions:
		kind = "CreateOptions"
	case *metav1.UpdateOptions:
		kind = "UpdateOptions"
	case *metav1.DeleteOptions:
		kind = "DeleteOptions"
	}
	if kind != "" {
		named.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{Group: "meta.k8s.io", Version: "v1", Kind: kind})
	}
	return json.Marshal(named)
}

// changed says that the request has another Object now.
func (q *question) changed() { clear(q.objects) }

// object and old are JSON of a version; nil for nothing.
func (q *question) object(v admission.Version) ([]byte, error) {
	return q.encode(q.objects, q.r.Object, v)
}
func (q *question) old(v admission.Version) ([]byte, error) { return q.encode(q.olds, q.r.Old, v) }

func (q *question) encode(known map[admission.Version][]byte, obj apiruntime.Object, v admission.Version) ([]byte, error) {
	if obj == nil {
		return nil, nil
	}
	if data, ok := known[v]; ok {
		return data, nil
	}
	encode := func() ([]byte, error) { return json.Marshal(obj) }
	if q.r.Forms != nil {
		encode = func() ([]byte, error) { return q.r.Forms.Encode(obj, v) }
	}
	data, err := encode()
	if err != nil {
		return nil, fmt.Errorf("convert to %s: %w", v.Kind, err)
	}
	known[v] = data
	return data, nil
}

// in returns the request in a version, without a uid. Its parts are not modified.
func (q *question) in(v admission.Version) (*admissionv1.AdmissionRequest, error) {
	object, err := q.object(v)
	if err != nil {
		return nil, err
	}
	old, err := q.old(v)
	if err != nil {
		return nil, err
	}
	r := q.r
	requestKind, requestResource := metav1.GroupVersionKind(r.Kind), metav1.GroupVersionResource(r.Resource)
	return &admissionv1.AdmissionRequest{
		Kind:               metav1.GroupVersionKind(v.Kind),
		Resource:           metav1.GroupVersionResource(v.Resource),
		SubResource:        r.Subresource,
		RequestKind:        &requestKind,
		RequestResource:    &requestResource,
		RequestSubResource: r.Subresource,
		Name:               r.Name,
		Namespace:          namespaceOf(r),
		Operation:          admissionv1.Operation(r.Operation),
		UserInfo:           q.user,
		Object:             apiruntime.RawExtension{Raw: object},
		OldObject:          apiruntime.RawExtension{Raw: old},
		DryRun:             &r.DryRun,
		Options:            apiruntime.RawExtension{Raw: q.options},
	}, nil
}

// review makes what is sent, with a uid of its own. request may be shared.
func review(version string, request *admissionv1.AdmissionRequest) (uid types.UID, body []byte, err error) {
	own := *request
	own.UID = types.UID(uuid.NewString())
	body, err = json.Marshal(&admissionv1.AdmissionReview{TypeMeta: reviewType(version), Request: &own})
	return own.UID, body, err
}

func reviewType(version string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: admissionv1.GroupName + "/" + version, Kind: "AdmissionReview"}
}
