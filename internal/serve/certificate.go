package serve

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"time"
)

// fileCertificate is a serving certificate out of two files. What replaces them is used for new
// connections.
type fileCertificate struct {
	*reloaded[*tls.Certificate]
}

// openCertificate reads the files a first time, and fails if they are no good.
func openCertificate(certFile, keyFile string, log *slog.Logger) (*fileCertificate, error) {
	f, err := openReloaded("serving certificate", []string{certFile, keyFile}, log, func(contents ...[]byte) (*tls.Certificate, error) {
		pair, err := tls.X509KeyPair(contents[0], contents[1])
		if err != nil {
			return nil, fmt.Errorf("%s and %s: %w", certFile, keyFile, err)
		}
		return &pair, nil
	})
	return &fileCertificate{f}, err
}

// choose is what TLS asks.
func (f *fileCertificate) choose(*tls.ClientHelloInfo) (*tls.Certificate, error) { return f.get(), nil }

// health fails if the certificate is not valid, or expires within a day, because the operator has
// to replace it.
func (f *fileCertificate) health(context.Context) error {
	leaf, now := f.get().Leaf, f.now()
	problem := invalidity(leaf, now)
	if problem == "" && leaf.NotAfter.Sub(now) < 24*time.Hour {
		problem = "expires in less than a day, at " + leaf.NotAfter.UTC().Format(time.RFC3339)
	}
	if problem != "" {
		return fmt.Errorf("the serving certificate in %s %s", f.files[0], problem)
	}
	return nil
}
