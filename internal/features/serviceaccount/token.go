package serviceaccount

import (
	"context"
	"fmt"
	"slices"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
)

// The lifetimes of tokens.
const (
	defaultLifetime = time.Hour
	minLifetime     = 10 * time.Minute
	maxSeconds      = 1 << 32
)

var (
	tokenKind  = schema.GroupVersionKind{Group: "authentication.k8s.io", Version: "v1", Kind: "TokenRequest"}
	boundKinds = map[string]string{"Pod": "pods", "Secret": "secrets"}
)

// tokens answers requests for tokens: the subresource token of service accounts.
type tokens struct {
	// signer makes the tokens, for audiences where a request names none.
	signer    *auth.TokenSigner
	audiences []string
	// objects returns a resource of the core group's v1, nil if it is not served: accounts, and
	// what a token can be bound to.
	objects func(plural string) *rest.Resource
}

// resource is the subresource of accounts.
func (t *tokens) resource(accounts *rest.Resource) *rest.Resource {
	return &rest.Resource{
		GroupVersion: accounts.GroupVersion,
		Kind:         accounts.Kind,
		Name:         accounts.Name,
		Singular:     accounts.Singular,
		Namespaced:   true,
		Subresource:  "token",
		BodyKind:     tokenKind,
		NewBody:      newRequest,
		Create:       t,
	}
}

var _ rest.Creator = (*tokens)(nil)

// newRequest has the defaults, so that admission sees them: nothing is decoded over what a client
// does not say.
func newRequest() rest.Body {
	request := new(authenticationv1.TokenRequest)
	setDefaults(request)
	return request
}

func setDefaults(request *authenticationv1.TokenRequest) {
	if request.Spec.ExpirationSeconds == nil {
		seconds := int64(defaultLifetime / time.Second)
		request.Spec.ExpirationSeconds = &seconds
	}
}

// Create makes a token. Nothing is stored: it is good for as long as it says, and while what it
// names is there.
func (t *tokens) Create(ctx context.Context, req *rest.Request, name rest.Name, obj rest.Body, _ metav1.CreateOptions) (rest.View, error) {
	request := obj.(*authenticationv1.TokenRequest)
	if request.Namespace != "" && request.Namespace != name.Namespace {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("must use the service account's namespace %s, not %s", name.Namespace, request.Namespace))
	}
	setDefaults(request) // a client may have sent null
	account := new(corev1.ServiceAccount)
	if err := t.read(ctx, "serviceaccounts", name, account); err != nil {
		return nil, err
	}
	if len(request.Spec.Audiences) == 0 {
		request.Spec.Audiences = slices.Clone(t.audiences)
	}
	request.Name, request.Namespace, request.CreationTimestamp = name.Name, name.Namespace, metav1.Now()
	request.Status = authenticationv1.TokenRequestStatus{}
	request.SetGroupVersionKind(tokenKind)
	if errs := validate(&request.Spec); len(errs) > 0 {
		return nil, rest.Invalid(tokenKind.GroupKind(), name.Name, errs)
	}
	if err := req.Check(ctx, request, nil); err != nil {
		return nil, err
	}
	claims := auth.KubernetesPart{Namespace: name.Namespace, ServiceAccount: auth.ObjectRef{Name: name.Name, UID: string(account.UID)}}
	if err := t.bind(ctx, &claims, request.Spec.BoundObjectRef); err != nil {
		return nil, err
	}
	token, end, err := t.signer.Sign(claims, request.Spec.Audiences, time.Duration(*request.Spec.ExpirationSeconds)*time.Second)
	if err != nil {
		return nil, apierrors.NewInternalError(fmt.Errorf("sign a token: %w", err))
	}
	request.Status = authenticationv1.TokenRequestStatus{Token: token, ExpirationTimestamp: metav1.NewTime(end)}
	return registry.Answer(request), nil
}

func validate(spec *authenticationv1.TokenRequestSpec) (errs field.ErrorList) {
	path := field.NewPath("spec")
	switch seconds := *spec.ExpirationSeconds; {
	case seconds < int64(minLifetime/time.Second):
		errs = append(errs, field.Invalid(path.Child("expirationSeconds"), seconds, "may not specify a duration less than 10 minutes"))
	case seconds > maxSeconds:
		errs = append(errs, field.Invalid(path.Child("expirationSeconds"), seconds, "may not specify a duration larger than 2^32 seconds"))
	}
	return errs
}

// bind lets the token end with another object.
func (t *tokens) bind(ctx context.Context, claims *auth.KubernetesPart, ref *authenticationv1.BoundObjectReference) error {
	if ref == nil {
		return nil
	}
	plural, ok := boundKinds[ref.Kind]
	if !ok || ref.APIVersion != "v1" {
		return apierrors.NewBadRequest(fmt.Sprintf("cannot bind token for serviceaccount %q to a %s of %q: it can be a Pod or a Secret of v1", claims.ServiceAccount.Name, ref.Kind, ref.APIVersion))
	}
	var bound struct {
		Metadata metav1.ObjectMeta
		Spec     struct{ ServiceAccountName, NodeName string }
	}
	name := rest.Name{Namespace: claims.Namespace, Name: ref.Name}
	if err := t.read(ctx, plural, name, &bound); err != nil {
		return err
	}
	if ref.UID != "" && ref.UID != bound.Metadata.UID {
		return apierrors.NewConflict(schema.GroupResource{Resource: plural}, ref.Name, fmt.Errorf("the UID in the bound object reference (%s) does not match the UID in record. The object might have been deleted and then recreated", ref.UID))
	}
	to := &auth.ObjectRef{Name: ref.Name, UID: string(bound.Metadata.UID)}
	if ref.Kind == "Secret" {
		claims.Secret = to
		return nil
	}
	if bound.Spec.ServiceAccountName != claims.ServiceAccount.Name {
		return apierrors.NewBadRequest(fmt.Sprintf("cannot bind token for serviceaccount %q to pod running with different serviceaccount name", claims.ServiceAccount.Name))
	}
	claims.Pod = to
	if bound.Spec.NodeName != "" {
		claims.Node = &auth.ObjectRef{Name: bound.Spec.NodeName}
	}
	return nil
}

// read gets an object of the core group.
func (t *tokens) read(ctx context.Context, plural string, name rest.Name, into any) error {
	r := t.objects(plural)
	if r == nil || r.Get == nil {
		return apierrors.NewNotFound(schema.GroupResource{Resource: plural}, name.Name)
	}
	view, err := r.Get.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	return rest.Read(view, into)
}
