package policy

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/registry/rest"
)

// guard judges the policies and bindings of one kind themselves: a policy reads its parameters with
// the rights of the server, and can say what is in them. So whoever writes one must be allowed to
// read them, as in Kubernetes.
type guard struct {
	reader     reader
	authorizer auth.Authorizer
	// policies and bindings are what it is about.
	policies, bindings schema.GroupVersionResource
}

// wants says whether a request writes a policy or a binding.
func (g *guard) wants(r *admission.Request) bool {
	about := r.Resource.GroupResource() == g.policies.GroupResource() || r.Resource.GroupResource() == g.bindings.GroupResource()
	return about && r.Subresource == "" && r.Operation != admission.Delete
}

// validate refuses a policy or a binding by somebody who may not read its parameters. What was said
// of them before is not judged again.
func (g *guard) validate(ctx context.Context, r *admission.Request) error {
	user := auth.UserFrom(ctx)
	if user == nil || slices.Contains(user.Groups, auth.GroupMasters) || g.authorizer == nil {
		return nil
	}
	said, before := parameters(r.Object), parameters(r.Old)
	if said.none() || reflect.DeepEqual(said, before) {
		return nil
	}
	a := auth.Attributes{User: user, IsResource: true, Verb: "get", Name: "*", Namespace: "*"}
	path, kind := field.NewPath("spec", "paramKind"), said.kind
	if said.ref != nil {
		path, kind = field.NewPath("spec", "paramRef"), g.kindOf(ctx, said.policy)
		a.Name, a.Namespace = said.ref.Name, said.ref.Namespace
		if a.Name == "" {
			a.Verb = "list"
		}
	}
	a.Group, a.Version, a.Resource = g.resource(kind)
	decision, _, err := g.authorizer.Authorize(ctx, a)
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	if decision == auth.Allow {
		return nil
	}
	of := schema.GroupResource{Group: a.Group, Resource: a.Resource}
	refused := field.Forbidden(path, fmt.Sprintf("user %q must be allowed to %s the parameters, which are %s", user.Name, a.Verb, of))
	return apierrors.NewInvalid(r.Kind.GroupKind(), r.Name, field.ErrorList{refused})
}

// parameterized is what a policy or a binding says of parameters.
type parameterized struct {
	kind   *admissionregistrationv1.ParamKind // a policy's
	policy string                             // a binding's, as ref
	ref    *admissionregistrationv1.ParamRef
}

func (p parameterized) none() bool { return p.kind == nil && p.ref == nil }

func parameters(obj apiruntime.Object) parameterized {
	switch o := obj.(type) {
	case *admissionregistrationv1.MutatingAdmissionPolicy:
		return parameterized{kind: o.Spec.ParamKind}
	case *admissionregistrationv1.ValidatingAdmissionPolicy:
		return parameterized{kind: o.Spec.ParamKind}
	case *admissionregistrationv1.MutatingAdmissionPolicyBinding:
		return parameterized{policy: o.Spec.PolicyName, ref: o.Spec.ParamRef}
	case *admissionregistrationv1.ValidatingAdmissionPolicyBinding:
		return parameterized{policy: o.Spec.PolicyName, ref: o.Spec.ParamRef}
	}
	return parameterized{}
}

// kindOf is the kind of the parameters of a policy; nil if there is no such policy, or it has none.
func (g *guard) kindOf(ctx context.Context, policy string) *admissionregistrationv1.ParamKind {
	policies := g.reader.resource(g.policies)
	if policies == nil {
		return nil
	}
	found, err := get(ctx, policies, rest.Name{Name: policy})
	if err != nil {
		return nil
	}
	spec, _ := found["spec"].(map[string]any)
	kind, _ := spec["paramKind"].(map[string]any)
	if kind == nil {
		return nil
	}
	k := new(admissionregistrationv1.ParamKind)
	k.APIVersion, _ = kind["apiVersion"].(string)
	k.Kind, _ = kind["kind"].(string)
	return k
}

// resource is where objects of a kind are: everywhere, as far as that is not known.
func (g *guard) resource(kind *admissionregistrationv1.ParamKind) (group, version, resource string) {
	if kind == nil {
		return "*", "*", "*"
	}
	gv, err := schema.ParseGroupVersion(kind.APIVersion)
	if err != nil {
		return "*", "*", "*"
	}
	if r := g.reader.kind(gv.WithKind(kind.Kind)); r != nil {
		return gv.Group, gv.Version, r.Name
	}
	return gv.Group, gv.Version, "*"
}
