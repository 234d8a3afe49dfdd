package certificates

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/auth"
)

// CertificateSigningRequestStrategy holds the rules of requests, and their columns. What was asked
// for never changes. What became of it is written at …/approval and …/status.
type CertificateSigningRequestStrategy struct{}

// StatusMetadata: a write of the status writes labels and annotations, too, as in Kubernetes.
func (CertificateSigningRequestStrategy) StatusMetadata() bool { return true }

// PrepareForCreate says who asks, whatever the client wrote. Nothing has become of a new request.
func (CertificateSigningRequestStrategy) PrepareForCreate(ctx context.Context, csr *certificatesv1.CertificateSigningRequest) {
	csr.Status = certificatesv1.CertificateSigningRequestStatus{}
	spec := &csr.Spec
	spec.Username, spec.UID, spec.Groups, spec.Extra = "", "", nil, nil
	user := auth.UserFrom(ctx)
	if user == nil {
		return
	}
	spec.Username, spec.UID, spec.Groups = user.Name, user.UID, slices.Clone(user.Groups)
	for key, values := range user.Extra {
		if spec.Extra == nil {
			spec.Extra = map[string]certificatesv1.ExtraValue{}
		}
		spec.Extra[key] = slices.Clone(values)
	}
}

// PrepareForUpdate leaves what was asked for, and what became of it.
func (CertificateSigningRequestStrategy) PrepareForUpdate(_ context.Context, csr, old *certificatesv1.CertificateSigningRequest) {
	csr.Spec, csr.Status = old.Spec, old.Status
}

// ResetFields are what a write to a subresource leaves as it is.
func (CertificateSigningRequestStrategy) ResetFields(subresource string) []string {
	switch subresource {
	case "approval":
		return []string{"spec", "status.certificate"}
	case "status":
		return []string{"spec"}
	}
	return []string{"spec", "status"}
}

// Validate says what is wrong with a request.
func (CertificateSigningRequestStrategy) Validate(_ context.Context, csr *certificatesv1.CertificateSigningRequest) field.ErrorList {
	return slices.Concat(validateSpec(&csr.Spec, field.NewPath("spec")), validateStatus(&csr.Status, field.NewPath("status")))
}

// ValidateUpdate has nothing to say: an update changes metadata alone.
func (CertificateSigningRequestStrategy) ValidateUpdate(context.Context, *certificatesv1.CertificateSigningRequest, *certificatesv1.CertificateSigningRequest) field.ErrorList {
	return nil
}

// Approval writes whether the request is approved: its conditions. As in Kubernetes it may be
// labelled and annotated with that.
func (CertificateSigningRequestStrategy) Approval(_ context.Context, csr, sent *certificatesv1.CertificateSigningRequest) error {
	conditions := field.NewPath("status", "conditions")
	errs := append(validateConditions(sent.Status.Conditions, conditions), keepsDecisions(&sent.Status, &csr.Status, conditions)...)
	if len(errs) > 0 {
		return errs.ToAggregate()
	}
	csr.Status.Conditions = timed(sent.Status.Conditions, csr.Status.Conditions)
	csr.Labels, csr.Annotations = sent.Labels, sent.Annotations
	return nil
}

// ValidateStatusUpdate says what is wrong with what a signer writes. It neither approves nor
// denies, and issues once.
func (CertificateSigningRequestStrategy) ValidateStatusUpdate(_ context.Context, csr, old *certificatesv1.CertificateSigningRequest) field.ErrorList {
	status, conditions := field.NewPath("status"), field.NewPath("status", "conditions")
	errs := validateStatus(&csr.Status, status)
	errs = append(errs, keepsDecisions(&csr.Status, &old.Status, conditions)...)
	for _, decision := range []certificatesv1.RequestConditionType{certificatesv1.CertificateApproved, certificatesv1.CertificateDenied} {
		now, before := ofType(csr.Status.Conditions, decision), ofType(old.Status.Conditions, decision)
		switch {
		case now != nil && before == nil:
			errs = append(errs, field.Forbidden(conditions, fmt.Sprintf("updates may not add a condition of type %q: write it at …/approval", decision)))
		case now != nil && *now != *before:
			errs = append(errs, field.Forbidden(conditions, fmt.Sprintf("updates may not modify a condition of type %q: send it as it was read", decision)))
		}
	}
	if before := old.Status.Certificate; len(before) > 0 && !bytes.Equal(csr.Status.Certificate, before) {
		errs = append(errs, field.Forbidden(status.Child("certificate"), "updates may not modify existing certificate content"))
	}
	return errs
}

// Canonicalize gives a condition that a signer wrote without them its times.
func (CertificateSigningRequestStrategy) Canonicalize(csr *certificatesv1.CertificateSigningRequest) {
	csr.Status.Conditions = timed(csr.Status.Conditions, nil)
}

// timed returns conditions with the times that were not sent: now, or when the condition became
// what it is in old.
func timed(conditions, old []certificatesv1.CertificateSigningRequestCondition) []certificatesv1.CertificateSigningRequestCondition {
	now := metav1.Now().Rfc3339Copy()
	for i := range conditions {
		c := &conditions[i]
		if c.LastUpdateTime.IsZero() {
			c.LastUpdateTime = now
		}
		if !c.LastTransitionTime.IsZero() {
			continue
		}
		c.LastTransitionTime = now
		if before := ofType(old, c.Type); before != nil && before.Status == c.Status && !before.LastTransitionTime.IsZero() {
			c.LastTransitionTime = before.LastTransitionTime
		}
	}
	return conditions
}

// ofType returns the condition of a type; nil if there is none.
func ofType(conditions []certificatesv1.CertificateSigningRequestCondition, t certificatesv1.RequestConditionType) *certificatesv1.CertificateSigningRequestCondition {
	i := slices.IndexFunc(conditions, func(c certificatesv1.CertificateSigningRequestCondition) bool { return c.Type == t })
	if i < 0 {
		return nil
	}
	return &conditions[i]
}

// ValidateName: whatever can be in a path is a name.
func (CertificateSigningRequestStrategy) ValidateName(string, bool) []string { return nil }

// HasGeneration: Kubernetes does not count their changes.
func (CertificateSigningRequestStrategy) HasGeneration() bool { return false }

// Columns are what kubectl get shows of requests.
func (CertificateSigningRequestStrategy) Columns() []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{
		{Name: "Age", Type: "date", Description: "The time since the request was created."},
		{Name: "SignerName", Type: "string", Description: "Who is asked to sign."},
		{Name: "Requestor", Type: "string", Description: "Who asks."},
		{Name: "RequestedDuration", Type: "string", Description: "How long the certificate is to be good."},
		{Name: "Condition", Type: "string", Description: "What became of the request."},
	}
}

// Cells fills the columns for one request.
func (CertificateSigningRequestStrategy) Cells(csr *certificatesv1.CertificateSigningRequest) []any {
	signer, lifetime := csr.Spec.SignerName, "<none>"
	if signer == "" {
		signer = "<none>"
	}
	if seconds := csr.Spec.ExpirationSeconds; seconds != nil {
		lifetime = duration.HumanDuration(time.Duration(*seconds) * time.Second)
	}
	return []any{csr.CreationTimestamp, signer, csr.Spec.Username, lifetime, condition(&csr.Status)}
}

// condition is what became of a request, in words.
func condition(status *certificatesv1.CertificateSigningRequestStatus) string {
	text := "Pending"
	switch {
	case ofType(status.Conditions, certificatesv1.CertificateDenied) != nil:
		text = "Denied"
	case ofType(status.Conditions, certificatesv1.CertificateApproved) != nil:
		text = "Approved"
	}
	if ofType(status.Conditions, certificatesv1.CertificateFailed) != nil {
		text += ",Failed"
	}
	if len(status.Certificate) > 0 {
		text += ",Issued"
	}
	return text
}
