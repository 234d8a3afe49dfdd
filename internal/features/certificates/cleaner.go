package certificates

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/internal/follow"
	"github.com/typeplane/typeplane/internal/recovery"
	"github.com/typeplane/typeplane/internal/wait"
	"github.com/typeplane/typeplane/registry/rest"
)

// How long requests stay, as those of Kubernetes do, and the time between two looks for them.
const (
	answeredStays = time.Hour // issued, denied or failed
	pendingStays  = 24 * time.Hour
	cleanEvery    = 10 * time.Minute
)

// cleaner removes requests that are over. Several may run.
type cleaner struct {
	requests rest.Resource
	log      *slog.Logger
}

// run removes requests until ctx ends.
func (c *cleaner) run(ctx context.Context) {
	for {
		err := recovery.Call(c.log, c.requests.Name, "", func() error { return c.clean(ctx, time.Now()) })
		if err != nil && ctx.Err() == nil {
			c.log.Warn("remove requests for certificates that are over; it is tried again", "error", err)
		}
		if wait.Sleep(ctx, cleanEvery) != nil {
			return
		}
	}
}

func (c *cleaner) clean(ctx context.Context, now time.Time) error {
	all, _, err := follow.List[certificatesv1.CertificateSigningRequest](ctx, &c.requests, "")
	if err != nil {
		return err
	}
	for i := range all {
		csr := &all[i]
		old := false
		if recovery.Object(c.log, c.requests.Name, csr.Name, func() { old = over(csr, now) }) != nil || !old {
			continue
		}
		only := metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &csr.UID, ResourceVersion: &csr.ResourceVersion}}
		_, err := c.requests.Delete.Delete(ctx, new(rest.Request), rest.Name{Name: csr.Name}, only)
		if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
			return err
		}
	}
	return nil
}

// over says whether nobody needs a request any more: it was answered a while ago, nobody has
// answered it for long, or what was issued has ended.
func over(csr *certificatesv1.CertificateSigningRequest, now time.Time) bool {
	stayed := func(since metav1.Time, time time.Duration) bool { return !since.IsZero() && now.Sub(since.Time) > time }
	if len(csr.Status.Conditions) == 0 && stayed(csr.CreationTimestamp, pendingStays) {
		return true
	}
	issued := len(csr.Status.Certificate) > 0
	for _, c := range csr.Status.Conditions {
		switch c.Type {
		case certificatesv1.CertificateDenied, certificatesv1.CertificateFailed:
			if stayed(c.LastUpdateTime, answeredStays) {
				return true
			}
		case certificatesv1.CertificateApproved:
			if issued && (stayed(c.LastUpdateTime, answeredStays) || ended(csr.Status.Certificate, now)) {
				return true
			}
		}
	}
	return false
}

// ended says whether the first of some certificates in PEM is not good any more.
func ended(text []byte, now time.Time) bool {
	block, _ := pem.Decode(text)
	if block == nil {
		return false
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	return err == nil && now.After(cert.NotAfter)
}
