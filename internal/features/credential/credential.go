// Package credential has the records of the credentials that a server gives out, and refuses those
// that are revoked.
//
// Every server that shares the objects follows the records (follow.go). It lets nobody in by a
// certificate before it has seen all of them, and ends what is open when one is revoked. A record
// that is deleted counts as revoked and stays until the credential has ended, since without it the
// credential would be good again; then it is removed (strategy.go, follow.go).
//
// Start reading at API. Records are made by those who give credentials out: Record does that.
//
// +typeplane:apiserver
package credential

import (
	"context"
	"crypto/x509"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/features/credential/v1alpha1"
	"github.com/typeplane/typeplane/registry/rest"
)

// Records is what they are served as.
var Records = schema.GroupVersionResource{Group: "auth.typeplane.io", Version: "v1alpha1", Resource: "credentials"}

// API returns records for a server that asks for them, and has it refuse what they revoke.
func API() typeplane.API {
	api := newAPI()
	api.Extend = func(_ context.Context, h *typeplane.Host) error {
		records := h.Resource(Records, "")
		if records == nil {
			return nil
		}
		h.Revocations.Expect()
		h.Readyz = append(h.Readyz, typeplane.Check{Name: "revoked-credentials", Check: h.Revocations.Ready})
		h.Go(func(ctx context.Context) { keep(ctx, records, h.Revocations, h.Log) })
		h.Alone("typeplane-control", func(ctx context.Context) { clean(ctx, records, h.Log) })
		return nil
	}
	return api
}

// Record writes down that a certificate was signed. It does so before anybody gets the certificate:
// what is not written down could not be revoked. records is the resource.
func Record(ctx context.Context, records *rest.Resource, cert *x509.Certificate) error {
	record := &v1alpha1.Credential{Spec: v1alpha1.CredentialSpec{
		ID: auth.CertificateID(cert), Username: cert.Subject.CommonName, Groups: cert.Subject.Organization, NotAfter: metav1.NewTime(cert.NotAfter),
	}}
	record.Name = nameOf(record.Spec.ID)
	_, err := records.Create.Create(ctx, new(rest.Request), rest.Name{Name: record.Name}, record, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// nameLength is how much of a hash is in the name of a record: enough for no two to be the same.
const nameLength = 20

// nameOf is the name of the record of a certificate.
func nameOf(id string) string {
	_, hash, _ := strings.Cut(id, "=")
	return "x509-" + hash[:min(nameLength, len(hash))]
}
