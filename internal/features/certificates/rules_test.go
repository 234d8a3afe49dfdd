package certificates

import (
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"math/big"
	"strings"
	"testing"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/internal/certtest"
)

// spec is one with which nothing is wrong.
func spec(t *testing.T) *certificatesv1.CertificateSigningRequestSpec {
	return &certificatesv1.CertificateSigningRequestSpec{
		Request: certtest.Request(t, certtest.NewKey(t), "ann"), SignerName: "example.com/signer", Usages: []certificatesv1.KeyUsage{certificatesv1.UsageClientAuth},
	}
}

// TestValidateSpec breaks a good spec in one way each.
func TestValidateSpec(t *testing.T) {
	if errs := validateSpec(spec(t), field.NewPath("spec")); len(errs) > 0 {
		t.Fatal(errs)
	}
	seconds := func(n int32) *int32 { return &n }
	for want, spoil := range map[string]func(*certificatesv1.CertificateSigningRequestSpec){
		"spec.request: Invalid value: \"<request data>\": PEM block type": func(s *certificatesv1.CertificateSigningRequestSpec) { s.Request = []byte("x") },
		"spec.request: Invalid value: \"<request data>\": x509: ":         func(s *certificatesv1.CertificateSigningRequestSpec) { s.Request = unsigned(t, s.Request) },
		"an RSA key has at most 16384 bits, and this one has 262144":      func(s *certificatesv1.CertificateSigningRequestSpec) { s.Request = long(t, 1<<18) },
		"spec.usages: Required value":                                     func(s *certificatesv1.CertificateSigningRequestSpec) { s.Usages = nil },
		"spec.usages[1]: Unsupported value: \"fun\"":                      func(s *certificatesv1.CertificateSigningRequestSpec) { s.Usages = append(s.Usages, "fun") },
		"spec.usages[1]: Duplicate value: \"client auth\"":                func(s *certificatesv1.CertificateSigningRequestSpec) { s.Usages = append(s.Usages, s.Usages[0]) },
		"spec.signerName: Required value":                                 func(s *certificatesv1.CertificateSigningRequestSpec) { s.SignerName = "" },
		"the legacy signerName is not allowed":                            func(s *certificatesv1.CertificateSigningRequestSpec) { s.SignerName = legacySigner },
		"must be a fully qualified domain and path":                       func(s *certificatesv1.CertificateSigningRequestSpec) { s.SignerName = "example.com/a/b" },
		"should be a domain with at least two segments":                   func(s *certificatesv1.CertificateSigningRequestSpec) { s.SignerName = "example/a" },
		`validating label "A"`:                                            func(s *certificatesv1.CertificateSigningRequestSpec) { s.SignerName = "example.com/A.b" },
		`validating label ""`:                                             func(s *certificatesv1.CertificateSigningRequestSpec) { s.SignerName = "example..com/b" },
		"Too long": func(s *certificatesv1.CertificateSigningRequestSpec) {
			s.SignerName = strings.Repeat("a.", 130) + "com/b"
		},
		"may not specify a duration less than 600 seconds": func(s *certificatesv1.CertificateSigningRequestSpec) { s.ExpirationSeconds = seconds(599) },
	} {
		s := spec(t)
		spoil(s)
		if errs := validateSpec(s, field.NewPath("spec")).ToAggregate(); errs == nil || !strings.Contains(errs.Error(), want) {
			t.Errorf("%v, want %s", errs, want)
		}
	}
}

// long returns a request with an RSA key of so many bits, and some signature.
func long(t *testing.T, bits int) []byte {
	t.Helper()
	n := new(big.Int).SetBit(big.NewInt(1), bits-1, 1)
	algorithm := func(last int) pkix.AlgorithmIdentifier {
		return pkix.AlgorithmIdentifier{Algorithm: asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, last}, Parameters: asn1.NullRawValue}
	}
	type keyInfo struct {
		Algorithm pkix.AlgorithmIdentifier
		Key       asn1.BitString
	}
	type body struct {
		Version    int
		Subject    pkix.RDNSequence
		Key        keyInfo
		Attributes []asn1.RawValue `asn1:"tag:0"`
	}
	key := x509.MarshalPKCS1PublicKey(&rsa.PublicKey{N: n, E: 1<<31 - 1})
	der, err := asn1.Marshal(struct {
		Body      body
		Algorithm pkix.AlgorithmIdentifier
		Signature asn1.BitString
	}{
		body{Subject: pkix.Name{CommonName: "ann"}.ToRDNSequence(), Key: keyInfo{algorithm(1), asn1.BitString{Bytes: key, BitLength: 8 * len(key)}}},
		algorithm(11), asn1.BitString{Bytes: make([]byte, bits/8), BitLength: bits},
	})
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der})
}

// unsigned returns a request whose signature is of something else.
func unsigned(t *testing.T, request []byte) []byte {
	t.Helper()
	block, _ := pem.Decode(request)
	if block == nil {
		t.Fatal("no request")
	}
	block.Bytes[len(block.Bytes)-1]++
	return pem.EncodeToMemory(block)
}

// TestOver: requests stay for as long as in Kubernetes.
func TestOver(t *testing.T) {
	now := time.Now()
	ago := func(d time.Duration) metav1.Time { return metav1.NewTime(now.Add(-d)) }
	csr := func(created time.Duration, condition certificatesv1.RequestConditionType, answered time.Duration, issued string) *certificatesv1.CertificateSigningRequest {
		c := &certificatesv1.CertificateSigningRequest{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: ago(created)}}
		c.Status.Certificate = []byte(issued)
		if condition != "" {
			c.Status.Conditions = []certificatesv1.CertificateSigningRequestCondition{{Type: condition, Status: corev1.ConditionTrue, LastUpdateTime: ago(answered)}}
		}
		return c
	}
	const little, hour, day = time.Minute, time.Hour, 24 * time.Hour
	for name, c := range map[string]struct {
		csr  *certificatesv1.CertificateSigningRequest
		want bool
	}{
		"pending":               {csr(day-little, "", 0, ""), false},
		"pending for long":      {csr(day+little, "", 0, ""), true},
		"denied":                {csr(day+little, certificatesv1.CertificateDenied, hour-little, ""), false},
		"denied for long":       {csr(day+little, certificatesv1.CertificateDenied, hour+little, ""), true},
		"failed for long":       {csr(day+little, certificatesv1.CertificateFailed, hour+little, ""), true},
		"approved, not issued":  {csr(day+little, certificatesv1.CertificateApproved, day, ""), false},
		"issued":                {csr(day+little, certificatesv1.CertificateApproved, hour-little, "x"), false},
		"issued long ago":       {csr(day+little, certificatesv1.CertificateApproved, hour+little, "x"), true},
		"without any times yet": {&certificatesv1.CertificateSigningRequest{}, false},
	} {
		if got := over(c.csr, now); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
