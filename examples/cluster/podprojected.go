package main

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/rest"
)

// Volumes that are put together of files from several sources.

// projection judges the sources of one volume. Two of them can't write the same file.
type projection struct {
	written map[string]bool
	errs    field.ErrorList
}

func validateProjected(v *corev1.ProjectedVolumeSource, path *field.Path) field.ErrorList {
	p := projection{written: map[string]bool{}, errs: validateFiles(v.DefaultMode, v.DefaultUser, path)}
	for i := range rest.WhileFew(&p.errs, slices.All(v.Sources)) {
		s, at := &v.Sources[i], path.Child("sources").Index(i)
		if s.Secret != nil {
			p.keys(s.Secret.Name, s.Secret.Items, at.Child("secret"))
		}
		if s.ConfigMap != nil {
			p.keys(s.ConfigMap.Name, s.ConfigMap.Items, at.Child("configMap"))
		}
		if s.DownwardAPI != nil {
			for j := range rest.WhileFew(&p.errs, slices.All(s.DownwardAPI.Items)) {
				file, at := &s.DownwardAPI.Items[j], at.Child("downwardAPI", "items").Index(j)
				p.errs = append(p.errs, validatePodFile(file, at)...)
				p.write(at.Child("path"), file.Path)
			}
		}
		if s.ServiceAccountToken != nil {
			p.token(s.ServiceAccountToken, at.Child("serviceAccountToken"))
		}
		if s.ClusterTrustBundle != nil {
			p.bundle(s.ClusterTrustBundle, at.Child("clusterTrustBundle"))
		}
		if s.PodCertificate != nil {
			p.certificate(s.PodCertificate, at.Child("podCertificate"))
		}
		if sourceCount(s) > 1 {
			p.errs = append(p.errs, field.Forbidden(at, "may not specify more than 1 volume type per source"))
		}
	}
	return p.errs
}

// sourceCount is how many sources one claims to be.
func sourceCount(s *corev1.VolumeProjection) int {
	n := 0
	for _, is := range []bool{s.Secret != nil, s.ConfigMap != nil, s.DownwardAPI != nil, s.ServiceAccountToken != nil, s.ClusterTrustBundle != nil, s.PodCertificate != nil} {
		if is {
			n++
		}
	}
	return n
}

// write notes a file that a source writes.
func (p *projection) write(at *field.Path, path string) {
	if path != "" && p.written[path] {
		p.errs = append(p.errs, field.Invalid(at, path, "conflicting duplicate paths"))
	}
	p.written[path] = true
}

// keys judges a secret or a config map.
func (p *projection) keys(name string, items []corev1.KeyToPath, at *field.Path) {
	p.errs = append(p.errs, required(at, part{"name", name != ""})...)
	p.errs = append(p.errs, validateKeys(items, at.Child("items"))...)
	for i, item := range rest.WhileFew(&p.errs, slices.All(items)) {
		p.write(at.Child("items").Index(i).Child("path"), item.Path)
	}
}

// token judges a token of the pod's service account: its time to live and its file.
func (p *projection) token(t *corev1.ServiceAccountTokenProjection, at *field.Path) {
	const shortest, longest = 10 * 60, 1 << 32
	p.errs = append(p.errs, required(at, part{"expirationSeconds", t.ExpirationSeconds != nil}, part{"path", t.Path != ""})...)
	if t.ExpirationSeconds != nil {
		p.errs = append(p.errs, within(at.Child("expirationSeconds"), *t.ExpirationSeconds, shortest, longest)...)
	}
	p.errs = append(p.errs, validateWritten(at.Child("path"), t.Path)...)
	p.errs = append(p.errs, validateUser(at.Child("user"), t.User)...)
}

// bundle judges certificates that are trusted: those of one name, or of one signer.
func (p *projection) bundle(b *corev1.ClusterTrustBundleProjection, at *field.Path) {
	switch {
	case b.Name != nil && b.SignerName != nil:
		p.errs = append(p.errs, field.Invalid(at, *b.Name, "only one of name and signerName may be used"))
	case b.Name != nil:
		p.errs = append(p.errs, required(at, part{"name", *b.Name != ""})...)
		p.errs = append(p.errs, validateBundleName(at.Child("name"), *b.Name)...)
		if b.LabelSelector != nil {
			p.errs = append(p.errs, field.Invalid(at.Child("labelSelector"), b.LabelSelector, "labelSelector must be unset if name is specified"))
		}
	case b.SignerName != nil:
		p.errs = append(p.errs, validateSigner(at.Child("signerName"), *b.SignerName)...)
		p.errs = append(p.errs, metav1validation.ValidateLabelSelector(b.LabelSelector, metav1validation.LabelSelectorValidationOptions{}, at.Child("labelSelector"))...)
	default:
		p.errs = append(p.errs, field.Required(at, "either name or signerName must be specified"))
	}
	p.errs = append(p.errs, required(at, part{"path", b.Path != ""})...)
	p.errs = append(p.errs, validateUser(at.Child("user"), b.User)...)
	p.errs = append(p.errs, validateWritten(at.Child("path"), b.Path)...)
	p.write(at.Child("path"), b.Path)
}

// validateBundleName judges the name of a ClusterTrustBundle. Those of a signer begin with his
// name, a colon for the slash.
func validateBundleName(at *field.Path, name string) field.ErrorList {
	return invalid(at, name, apivalidation.NameIsDNSSubdomain(name[strings.LastIndexByte(name, ':')+1:], false))
}

// certificate judges a key and its certificates, which the node gets for the pod.
func (p *projection) certificate(c *corev1.PodCertificateProjection, at *field.Path) {
	const shortest, longest = 60 * 60, 91 * 24 * 60 * 60
	p.errs = append(p.errs, validateSigner(at.Child("signerName"), c.SignerName)...)
	p.errs = append(p.errs, oneOf(at.Child("keyType"), c.KeyType, "RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519")...)
	if s := c.MaxExpirationSeconds; s != nil {
		p.errs = append(p.errs, within(at.Child("maxExpirationSeconds"), *s, shortest, longest)...)
	}
	p.errs = append(p.errs, validateUser(at.Child("user"), c.User)...)
	none := true
	for _, file := range []struct{ name, path string }{
		{"credentialBundlePath", c.CredentialBundlePath}, {"keyPath", c.KeyPath}, {"certificateChainPath", c.CertificateChainPath},
	} {
		if file.path != "" {
			none = false
			p.errs = append(p.errs, validateWritten(at.Child(file.name), file.path)...)
			p.write(at.Child(file.name), file.path)
		}
	}
	if none {
		p.errs = append(p.errs, field.Required(at, "specify at least one of credentialBundlePath, keyPath, and certificateChainPath"))
	}
}
