// Package certificates has the requests for certificates of Kubernetes. A client sends what it
// wants signed, somebody with the right approves it, and a signer answers with the certificate.
//
// Start reading at API. The kind is in the folder below, its rules are in strategy.go and
// validate.go. Three plug-ins of admission say who may approve and sign, and what nobody may ask
// for (admission.go). The server signs the requests of clients of its own (signer.go), and removes
// those that are over (cleaner.go). It approves none.
//
// +typeplane:apiserver
package certificates

import (
	"context"

	certificatesv1 "k8s.io/api/certificates/v1"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/internal/features/credential"
)

var requests = certificatesv1.SchemeGroupVersion.WithResource("certificatesigningrequests")

// The loops by the names that they have in a kube-controller-manager.
const (
	signingController = "certificatesigningrequest-signing-controller"
	cleanerController = "certificatesigningrequest-cleaner-controller"
)

// API returns requests for certificates for a server that asks for them, with the signer for
// clients of the server.
func API() typeplane.API {
	api := newAPI()
	api.Admission = plugins()
	api.Controllers = []string{signingController, cleanerController}
	api.Extend = func(_ context.Context, h *typeplane.Host) error {
		of, status := h.Resource(requests, ""), h.Resource(requests, "status")
		if of == nil || status == nil {
			return nil
		}
		s := &signer{requests: *of, status: status.Update, records: h.Resource(credential.Records, ""), authority: h.ClientSigner, log: h.Log}
		if s.records == nil {
			h.Log.Warn("certificates that this server signs can't be revoked, because it does not serve credentials; add them to --enable-api")
		}
		if h.Controls(signingController) {
			h.Alone("typeplane-control", s.run)
		}
		if c := (&cleaner{requests: *of, log: h.Log}); h.Controls(cleanerController) {
			h.Alone("typeplane-control", c.run)
		}
		return nil
	}
	return api
}
