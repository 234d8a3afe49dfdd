package certificates

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"log/slog"
	"sync"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/features/credential"
	"github.com/typeplane/typeplane/internal/features/internal/reader"
	"github.com/typeplane/typeplane/internal/follow"
	"github.com/typeplane/typeplane/internal/recovery"
	"github.com/typeplane/typeplane/internal/wait"
	"github.com/typeplane/typeplane/registry/rest"
)

// The pauses after a failure: each twice as long as the one before.
const firstPause, lastPause = 100 * time.Millisecond, 10 * time.Second

// signer answers the approved requests of those who want to be clients of this server, each in a
// goroutine of its own, so that one failure keeps no other waiting. Several may run: the first
// certificate that is written counts.
type signer struct {
	requests  rest.Resource
	status    rest.Updater
	records   *rest.Resource // of what was signed; nil: there are none
	authority *auth.ClientSigner
	log       *slog.Logger

	mu   sync.Mutex
	busy map[types.UID]bool // the requests that are being answered
}

// run answers requests until ctx ends.
func (s *signer) run(ctx context.Context) {
	var jobs sync.WaitGroup
	defer jobs.Wait()
	s.busy = map[types.UID]bool{}
	answer := func(csr *certificatesv1.CertificateSigningRequest) {
		if waits(csr) && s.begin(csr.UID) {
			jobs.Go(func() {
				defer s.end(csr.UID)
				s.insist(ctx, csr.Name)
			})
		}
	}
	follow.Run(ctx, &s.requests, "", s.log, follow.Handler[certificatesv1.CertificateSigningRequest]{
		Replace: func(all []certificatesv1.CertificateSigningRequest) {
			follow.Each(s.log, s.requests.Name, all, answer)
		},
		Changed: answer,
	})
}

func (s *signer) begin(uid types.UID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy[uid] {
		return false
	}
	s.busy[uid] = true
	return true
}

func (s *signer) end(uid types.UID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.busy, uid)
}

// waits says whether a request is approved, for this signer, and has no answer yet.
func waits(csr *certificatesv1.CertificateSigningRequest) bool {
	conditions := csr.Status.Conditions
	return csr.Spec.SignerName == certificatesv1.KubeAPIServerClientSignerName && len(csr.Status.Certificate) == 0 &&
		ofType(conditions, certificatesv1.CertificateApproved) != nil && ofType(conditions, certificatesv1.CertificateFailed) == nil
}

// insist answers a request, again after each failure, until it has an answer or is gone. A panic is
// only in the log and the metric, because the condition Failed would be final.
func (s *signer) insist(ctx context.Context, name string) {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := recovery.Call(s.log, s.requests.Name, name, func() error { return s.answer(ctx, name) })
		if err == nil || apierrors.IsNotFound(err) || ctx.Err() != nil {
			return
		}
		if !apierrors.IsConflict(err) {
			s.log.Warn("answer a request for a certificate; it is tried again", "name", name, "error", err)
		}
		if wait.Sleep(ctx, pause) != nil {
			return
		}
	}
}

// answer writes the certificate, or why there is none, if the request still waits.
func (s *signer) answer(ctx context.Context, name string) error {
	csr := new(certificatesv1.CertificateSigningRequest)
	at := rest.Name{Name: name}
	if err := reader.Get(ctx, s.requests.Get, at, true, csr); err != nil || !waits(csr) {
		return err
	}
	cert, err := s.sign(&csr.Spec)
	if err != nil {
		csr.Status.Conditions = append(csr.Status.Conditions, certificatesv1.CertificateSigningRequestCondition{
			Type: certificatesv1.CertificateFailed, Status: corev1.ConditionTrue, Reason: "SignerValidationFailure", Message: err.Error(),
		})
	} else {
		if err := s.record(ctx, cert); err != nil {
			return err
		}
		csr.Status.Certificate = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Raw})
	}
	_, _, err = s.status.Update(ctx, new(rest.Request), at, csr, metav1.UpdateOptions{})
	return err
}

func (s *signer) record(ctx context.Context, cert *x509.Certificate) error {
	if s.records == nil {
		return nil
	}
	if err := credential.Record(ctx, s.records, cert); err != nil {
		return fmt.Errorf("write down what was signed: %w", err)
	}
	return nil
}

// keyUsages are those that a client's certificate may have.
var keyUsages = map[certificatesv1.KeyUsage]x509.KeyUsage{
	certificatesv1.UsageDigitalSignature: x509.KeyUsageDigitalSignature,
	certificatesv1.UsageKeyEncipherment:  x509.KeyUsageKeyEncipherment,
}

// sign makes a client's certificate, or says why there can't be one.
func (s *signer) sign(spec *certificatesv1.CertificateSigningRequestSpec) (*x509.Certificate, error) {
	var usage x509.KeyUsage
	client := false
	for _, u := range spec.Usages {
		key, known := keyUsages[u]
		if !known && u != certificatesv1.UsageClientAuth {
			return nil, fmt.Errorf("invalid usage for client certificate: %s", u)
		}
		usage |= key
		client = client || u == certificatesv1.UsageClientAuth
	}
	if !client {
		return nil, fmt.Errorf("missing required usage for client certificate: %s", certificatesv1.UsageClientAuth)
	}
	request, err := parseRequest(spec.Request)
	if err != nil {
		return nil, err
	}
	var lifetime time.Duration
	if spec.ExpirationSeconds != nil {
		lifetime = time.Duration(*spec.ExpirationSeconds) * time.Second
	}
	return s.authority.Sign(request, usage, lifetime)
}
