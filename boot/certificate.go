package boot

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// checkCertificateEvery is how long a certificate is used before its files are looked at again.
const checkCertificateEvery = 10 * time.Second

// fileCertificate is a serving certificate out of two files. What replaces them is in use for new connections within
// seconds; what can't be used, such as half of a pair, is logged, and the certificate of before stays.
type fileCertificate struct {
	certFile, keyFile string
	log               *slog.Logger
	now               func() time.Time

	mu       sync.Mutex // guards what follows
	current  *tls.Certificate
	checked  time.Time
	sum      string // of the files that were read last, good or not
	complain bool   // the files were no good when they were read last
}

// openCertificate reads the files a first time, and fails if they are no good.
func openCertificate(certFile, keyFile string, log *slog.Logger) (*fileCertificate, error) {
	f := &fileCertificate{certFile: certFile, keyFile: keyFile, log: log, now: time.Now}
	certPEM, keyPEM, err := f.read()
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return nil, fmt.Errorf("%s and %s: %w", certFile, keyFile, err)
	}
	f.current, f.sum, f.checked = &pair, string(certPEM)+string(keyPEM), f.now()
	return f, nil
}

func (f *fileCertificate) read() (certPEM, keyPEM []byte, err error) {
	if certPEM, err = os.ReadFile(f.certFile); err != nil {
		return nil, nil, err
	}
	keyPEM, err = os.ReadFile(f.keyFile)
	return certPEM, keyPEM, err
}

func (f *fileCertificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := f.now(); now.Sub(f.checked) >= checkCertificateEvery {
		f.checked = now
		f.reload()
	}
	return f.current, nil
}

// reload keeps the certificate of before if there is no better one.
func (f *fileCertificate) reload() {
	certPEM, keyPEM, err := f.read()
	if err == nil {
		sum := string(certPEM) + string(keyPEM)
		if sum == f.sum {
			return
		}
		f.sum, f.complain = sum, false
		var pair tls.Certificate
		if pair, err = tls.X509KeyPair(certPEM, keyPEM); err == nil {
			f.current = &pair
			f.log.Info("a new serving certificate is in use", "file", f.certFile, "serial", pair.Leaf.SerialNumber, "until", pair.Leaf.NotAfter)
			return
		}
	}
	if !f.complain {
		f.complain = true
		f.log.Error("the new serving certificate can't be used; the one of before stays", "certificate", f.certFile, "key", f.keyFile, "error", err)
	}
}

// health fails while the certificate has expired, or will within a day: somebody has to replace it.
func (f *fileCertificate) health(context.Context) error {
	current, _ := f.get(nil)
	if left := current.Leaf.NotAfter.Sub(f.now()); left < 24*time.Hour {
		return fmt.Errorf("the serving certificate in %s is good until %s only", f.certFile, current.Leaf.NotAfter.Format(time.RFC3339))
	}
	return nil
}
