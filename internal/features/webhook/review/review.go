// Package review puts a request of admission in the words of AdmissionReview: what webhooks are
// asked, and what expressions call request. Start reading at Question. It asks nobody.
package review

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/features/webhook/match"
)

// Question is a request as it is asked, as often as it is wanted in different versions. It is for
// one goroutine.
type Question struct {
	// Request is what the question is about.
	Request *admission.Request

	user    authenticationv1.UserInfo
	options []byte
	// objects and olds are what has been encoded already; the objects are of the Object that the
	// request has at present.
	objects, olds map[admission.Version][]byte
}

// New makes a question of a request of a user; nil is the server itself.
func New(r *admission.Request, user *auth.User) (*Question, error) {
	q := &Question{Request: r, user: userInfo(user), objects: map[admission.Version][]byte{}, olds: map[admission.Version][]byte{}}
	var err error
	q.options, err = encodeOptions(r.Options)
	return q, err
}

// ServerUser is who the server is in what it does by itself.
const ServerUser = "system:apiserver"

func userInfo(u *auth.User) authenticationv1.UserInfo {
	if u == nil {
		u = &auth.User{Name: ServerUser, Groups: []string{auth.GroupMasters, auth.GroupAuthenticated}}
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

// Replace makes the Object of the request what JSON of a version says, with the defaults. changed
// says whether it is another one than before. The error is that it is no object of that version.
func (q *Question) Replace(v admission.Version, object []byte) (changed bool, err error) {
	before, err := q.Object(v)
	if err != nil {
		return false, err
	}
	obj, err := q.Request.Codec.Decode(object, v)
	if err != nil {
		return false, err
	}
	q.Request.Object = obj
	clear(q.objects)
	after, err := q.Object(v)
	return !bytes.Equal(before, after), err
}

// Object is JSON of the request's Object in a version; nil for nothing. It must not be modified.
func (q *Question) Object(v admission.Version) ([]byte, error) {
	return q.encode(q.objects, q.Request.Object, v)
}

// Old is as Object.
func (q *Question) Old(v admission.Version) ([]byte, error) {
	return q.encode(q.olds, q.Request.Old, v)
}

func (q *Question) encode(known map[admission.Version][]byte, obj apiruntime.Object, v admission.Version) ([]byte, error) {
	if obj == nil {
		return nil, nil
	}
	if data, ok := known[v]; ok {
		return data, nil
	}
	encode := func() ([]byte, error) { return json.Marshal(obj) }
	if q.Request.Codec != nil {
		encode = func() ([]byte, error) { return q.Request.Codec.Encode(obj, v) }
	}
	data, err := encode()
	if err != nil {
		return nil, fmt.Errorf("convert to %s: %w", v.Kind, err)
	}
	known[v] = data
	return data, nil
}

// In returns the request in a version, without a uid. Its parts are not modified.
func (q *Question) In(v admission.Version) (*admissionv1.AdmissionRequest, error) {
	object, err := q.Object(v)
	if err != nil {
		return nil, err
	}
	old, err := q.Old(v)
	if err != nil {
		return nil, err
	}
	r := q.Request
	requestKind, requestResource := metav1.GroupVersionKind(r.Kind), metav1.GroupVersionResource(r.Resource)
	return &admissionv1.AdmissionRequest{
		Kind:               metav1.GroupVersionKind(v.Kind),
		Resource:           metav1.GroupVersionResource(v.Resource),
		SubResource:        r.Subresource,
		RequestKind:        &requestKind,
		RequestResource:    &requestResource,
		RequestSubResource: r.Subresource,
		Name:               r.Name,
		Namespace:          match.Namespace(r),
		Operation:          admissionv1.Operation(r.Operation),
		UserInfo:           q.user,
		Object:             apiruntime.RawExtension{Raw: object},
		OldObject:          apiruntime.RawExtension{Raw: old},
		DryRun:             &r.DryRun,
		Options:            apiruntime.RawExtension{Raw: q.options},
	}, nil
}
