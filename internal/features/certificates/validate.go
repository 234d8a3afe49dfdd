package certificates

import (
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strings"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/rest"
)

// usages are those that may be asked for.
var usages = []certificatesv1.KeyUsage{
	certificatesv1.UsageAny, certificatesv1.UsageCertSign, certificatesv1.UsageClientAuth, certificatesv1.UsageCodeSigning,
	certificatesv1.UsageContentCommitment, certificatesv1.UsageCRLSign, certificatesv1.UsageDataEncipherment, certificatesv1.UsageDecipherOnly,
	certificatesv1.UsageDigitalSignature, certificatesv1.UsageEmailProtection, certificatesv1.UsageEncipherOnly, certificatesv1.UsageIPsecEndSystem,
	certificatesv1.UsageIPsecTunnel, certificatesv1.UsageIPsecUser, certificatesv1.UsageKeyAgreement, certificatesv1.UsageKeyEncipherment,
	certificatesv1.UsageMicrosoftSGC, certificatesv1.UsageNetscapeSGC, certificatesv1.UsageOCSPSigning, certificatesv1.UsageSMIME,
	certificatesv1.UsageServerAuth, certificatesv1.UsageSigning, certificatesv1.UsageTimestamping,
}

// legacySigner is one that v1 does not have any more.
const legacySigner = "kubernetes.io/legacy-unknown"

// minSeconds is the shortest time that a certificate may be asked for.
const minSeconds = 600

func validateSpec(spec *certificatesv1.CertificateSigningRequestSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if request, err := parseRequest(spec.Request); err != nil {
		errs = append(errs, field.Invalid(path.Child("request"), "<request data>", err.Error()))
	} else if err := request.CheckSignature(); err != nil {
		errs = append(errs, field.Invalid(path.Child("request"), "<request data>", err.Error()))
	}
	errs = append(errs, validateUsages(spec.Usages, path.Child("usages"))...)
	errs = append(errs, validateSigner(spec.SignerName, path.Child("signerName"))...)
	if s := spec.ExpirationSeconds; s != nil && *s < minSeconds {
		errs = append(errs, field.Invalid(path.Child("expirationSeconds"), *s, "may not specify a duration less than 600 seconds (10 minutes)"))
	}
	return errs
}

// maxKeyBits is how long an RSA key may be. To check what was signed with one takes time that grows
// with the square of its length, and a request has room for millions. In TLS nobody takes more than
// half of these.
const maxKeyBits = 16 << 10

// parseRequest reads the one request that there is in PEM.
func parseRequest(text []byte) (*x509.CertificateRequest, error) {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "CERTIFICATE REQUEST" {
		return nil, errors.New("PEM block type must be CERTIFICATE REQUEST")
	}
	request, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil {
		return nil, err
	}
	if key, ok := request.PublicKey.(*rsa.PublicKey); ok && key.N.BitLen() > maxKeyBits {
		return nil, fmt.Errorf("an RSA key has at most %d bits, and this one has %d", maxKeyBits, key.N.BitLen())
	}
	return request, nil
}

func validateUsages(asked []certificatesv1.KeyUsage, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(asked) == 0 {
		errs = append(errs, field.Required(path, ""))
	}
	seen := map[certificatesv1.KeyUsage]bool{}
	for i, usage := range rest.WhileFew(&errs, slices.All(asked)) {
		if !slices.Contains(usages, usage) {
			errs = append(errs, field.NotSupported(path.Index(i), usage, usages))
		}
		if seen[usage] {
			errs = append(errs, field.Duplicate(path.Index(i), usage))
		}
		seen[usage] = true
	}
	return errs
}

// The parts of a signer's name: a domain, and a path with room for the name of an object and its
// namespace.
const (
	maxSignerDomain = validation.DNS1123SubdomainMaxLength
	maxSigner       = maxSignerDomain + 1 + validation.DNS1123LabelMaxLength + 1 + validation.DNS1123SubdomainMaxLength
)

// validateSigner wants the form example.com/name.
func validateSigner(name string, path *field.Path) field.ErrorList {
	if name == "" {
		return field.ErrorList{field.Required(path, "")}
	}
	if name == legacySigner {
		return field.ErrorList{field.Invalid(path, name, "the legacy signerName is not allowed via this API version")}
	}
	domain, rest, ok := strings.Cut(name, "/")
	if !ok || strings.Contains(rest, "/") {
		return field.ErrorList{field.Invalid(path, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'")}
	}
	var errs field.ErrorList
	if len(domain) > maxSignerDomain {
		errs = append(errs, field.TooLong(path, domain, maxSignerDomain))
	}
	errs = append(errs, validateLabels(domain, path, validation.IsDNS1123Label)...)
	if !strings.Contains(domain, ".") {
		errs = append(errs, field.Invalid(path, domain, "should be a domain with at least two segments separated by dots"))
	}
	errs = append(errs, validateLabels(rest, path, validation.IsDNS1123Subdomain)...)
	if len(name) > maxSigner {
		errs = append(errs, field.TooLong(path, name, maxSigner))
	}
	return errs
}

// validateLabels tells of the first label between dots that is none.
func validateLabels(name string, path *field.Path, check func(string) []string) (errs field.ErrorList) {
	for label := range strings.SplitSeq(name, ".") {
		for _, message := range check(label) {
			errs = append(errs, field.Invalid(path, name, fmt.Sprintf("validating label %q: %s", label, message)))
		}
		if len(errs) > 0 {
			return errs
		}
	}
	return nil
}

func validateStatus(status *certificatesv1.CertificateSigningRequestStatus, path *field.Path) field.ErrorList {
	errs := validateConditions(status.Conditions, path.Child("conditions"))
	if err := checkCertificate(status.Certificate); err != nil {
		errs = append(errs, field.Invalid(path.Child("certificate"), "<certificate data>", err.Error()))
	}
	return errs
}

// lasting are the conditions that are true, and stay.
var lasting = []certificatesv1.RequestConditionType{certificatesv1.CertificateApproved, certificatesv1.CertificateDenied, certificatesv1.CertificateFailed}

func validateConditions(conditions []certificatesv1.CertificateSigningRequestCondition, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	seen := map[certificatesv1.RequestConditionType]bool{}
	for i, c := range rest.WhileFew(&errs, slices.All(conditions)) {
		at := path.Index(i)
		if c.Type == "" {
			errs = append(errs, field.Required(at.Child("type"), ""))
		}
		possible := []corev1.ConditionStatus{corev1.ConditionFalse, corev1.ConditionTrue, corev1.ConditionUnknown}
		if slices.Contains(lasting, c.Type) {
			possible = []corev1.ConditionStatus{corev1.ConditionTrue}
		}
		switch {
		case c.Status == "":
			errs = append(errs, field.Required(at.Child("status"), ""))
		case !slices.Contains(possible, c.Status):
			errs = append(errs, field.NotSupported(at.Child("status"), c.Status, possible))
		}
		if seen[c.Type] {
			errs = append(errs, field.Duplicate(at.Child("type"), c.Type))
		}
		seen[c.Type] = true
	}
	return errs
}

// keepsDecisions says what was decided before and is not any more.
func keepsDecisions(status, old *certificatesv1.CertificateSigningRequestStatus, path *field.Path) (errs field.ErrorList) {
	for _, t := range lasting {
		if ofType(old.Conditions, t) != nil && ofType(status.Conditions, t) == nil {
			errs = append(errs, field.Forbidden(path, fmt.Sprintf("updates may not remove a condition of type %q", t)))
		}
	}
	return errs
}

// checkCertificate says what is wrong with issued certificates in PEM; nothing at all is fine.
func checkCertificate(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	count := 0
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		switch {
		case block.Type != "CERTIFICATE":
			return fmt.Errorf("only CERTIFICATE PEM blocks are allowed, found %q", block.Type)
		case len(block.Headers) > 0:
			return errors.New("no PEM block headers are permitted")
		}
		certs, err := x509.ParseCertificates(block.Bytes)
		if err != nil {
			return err
		}
		if len(certs) == 0 {
			return errors.New("found CERTIFICATE PEM block containing 0 certificates")
		}
		count++
	}
	if count == 0 {
		return errors.New("must contain at least one CERTIFICATE PEM block")
	}
	return nil
}
