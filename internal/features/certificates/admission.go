package certificates

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	certificatesv1 "k8s.io/api/certificates/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/runtime/semantic"
)

// The names of the plug-ins.
const (
	ApprovalName           = "CertificateApproval"
	SigningName            = "CertificateSigning"
	SubjectRestrictionName = "CertificateSubjectRestriction"
)

// plugins are those of this package, in the order of kube-apiserver.
func plugins() []typeplane.AdmissionPlugin {
	plugin := func(name string, plan func(auth.Authorizer) admission.Plugin) typeplane.AdmissionPlugin {
		return typeplane.AdmissionPlugin{
			Name: name, Needs: []schema.GroupVersionResource{requests},
			New: func(_ context.Context, h *typeplane.Host, _ []byte) (admission.Plugin, error) {
				p := plan(h.Authorizer)
				p.Name = name
				return p, nil
			},
		}
	}
	return []typeplane.AdmissionPlugin{plugin(ApprovalName, approval), plugin(SigningName, signing), plugin(SubjectRestrictionName, subjectRestriction)}
}

// about says whether a request is of an operation on a part of the requests for certificates.
func about(op admission.Operation, subresource string) func(*admission.Request) bool {
	return func(r *admission.Request) bool {
		return r.Operation == op && r.Subresource == subresource && r.Resource.GroupResource() == requests.GroupResource()
	}
}

// approval lets those approve who may approve for the signer.
func approval(a auth.Authorizer) admission.Plugin {
	return admission.Plugin{
		Wants: about(admission.Update, "approval"),
		Validate: func(ctx context.Context, r *admission.Request) error {
			return mayFor(ctx, a, "approve", r.Old.(*certificatesv1.CertificateSigningRequest).Spec.SignerName)
		},
	}
}

// signing lets those write what became of a request who may sign for the signer.
func signing(a auth.Authorizer) admission.Plugin {
	return admission.Plugin{
		Wants: about(admission.Update, "status"),
		Validate: func(ctx context.Context, r *admission.Request) error {
			now, old := r.Object.(*certificatesv1.CertificateSigningRequest), r.Old.(*certificatesv1.CertificateSigningRequest)
			if bytes.Equal(now.Status.Certificate, old.Status.Certificate) && semantic.Equal(now.Status.Conditions, old.Status.Conditions) {
				return nil
			}
			return mayFor(ctx, a, "sign", old.Spec.SignerName)
		},
	}
}

// mayFor refuses a user who may not do something for a signer: neither for the signer of that name
// nor for all of its domain. The server itself may.
func mayFor(ctx context.Context, a auth.Authorizer, verb, signer string) error {
	user := auth.UserFrom(ctx)
	if user == nil {
		return nil
	}
	domain, _, _ := strings.Cut(signer, "/")
	var errs []error
	for _, name := range []string{signer, domain + "/*"} {
		decision, _, err := a.Authorize(ctx, auth.Attributes{
			User: user, IsResource: true, Verb: verb, Group: requests.Group, Version: "*", Resource: "signers", Name: name,
		})
		if decision == auth.Allow {
			return nil
		}
		errs = append(errs, err)
	}
	return errors.Join(append(errs, fmt.Errorf("user not permitted to %s requests with signerName %q", verb, signer))...)
}

// subjectRestriction refuses requests for a certificate with which one may do everything.
func subjectRestriction(auth.Authorizer) admission.Plugin {
	return admission.Plugin{
		Wants: about(admission.Create, ""),
		Validate: func(_ context.Context, r *admission.Request) error {
			csr := r.Object.(*certificatesv1.CertificateSigningRequest)
			if csr.Spec.SignerName != certificatesv1.KubeAPIServerClientSignerName {
				return nil
			}
			request, err := parseRequest(csr.Spec.Request)
			if err != nil {
				return fmt.Errorf("failed to parse CSR: %w", err)
			}
			if slices.Contains(request.Subject.Organization, auth.GroupMasters) {
				return fmt.Errorf("use of %s signer with %s group is not allowed", certificatesv1.KubeAPIServerClientSignerName, auth.GroupMasters)
			}
			return nil
		},
	}
}
