package serve

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"log/slog"
	"os"
	"time"
)

// logInvalidFile is logInvalid for a file. The code that needs the file reports one that can't be
// read.
func logInvalidFile(log *slog.Logger, what, file string) {
	if data, err := os.ReadFile(file); err == nil {
		logInvalid(log, what, file, data)
	}
}

// logInvalid logs an error for each certificate in the contents of a file that has expired or is
// not valid yet. It ignores contents that are not certificates in PEM.
func logInvalid(log *slog.Logger, what, file string, contents []byte) {
	for block, rest := pem.Decode(contents); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			continue
		}
		if problem := invalidity(cert, time.Now()); problem != "" {
			log.Error(fmt.Sprintf("the %s in %s %s", what, file, problem), "subject", cert.Subject.String(), "notBefore", cert.NotBefore, "notAfter", cert.NotAfter)
		}
	}
}

// invalidity returns why a certificate is not valid now, "" if it is.
func invalidity(cert *x509.Certificate, now time.Time) string {
	switch {
	case now.After(cert.NotAfter):
		return fmt.Sprintf("expired %s ago, on %s", days(now.Sub(cert.NotAfter)), cert.NotAfter.UTC().Format(time.DateOnly))
	case now.Before(cert.NotBefore):
		return fmt.Sprintf("is not valid yet: it starts in %s, on %s", days(cert.NotBefore.Sub(now)), cert.NotBefore.UTC().Format(time.DateOnly))
	}
	return ""
}

func days(d time.Duration) string {
	switch n := d / (24 * time.Hour); n {
	case 0:
		return "less than a day"
	case 1:
		return "1 day"
	default:
		return fmt.Sprintf("%d days", n)
	}
}
