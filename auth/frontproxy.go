package auth

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// FrontProxyConfig says which proxies may say on whose behalf they send a request, and how they say
// it.
type FrontProxyConfig struct {
	// CA are the authorities that sign the proxies' client certificates, in PEM.
	CA []byte
	// AllowedNames are the common names of the proxies; none: whoever has a certificate of CA is
	// one.
	AllowedNames []string
	// UsernameHeaders, UIDHeaders and GroupHeaders are the names of headers. For the user's name
	// and UID the first header that is there counts; for groups all of them count.
	UsernameHeaders, UIDHeaders, GroupHeaders []string
	// ExtraPrefixes are what the names of headers begin with that hold the extra of the user.
	ExtraPrefixes []string
}

// FrontProxy authenticates by the headers of a proxy that shows a client certificate, as
// kube-apiserver's aggregator does. From every request it takes the headers away, so that nobody
// behind it can be deceived by them. It is safe for concurrent use.
type FrontProxy struct {
	config FrontProxyConfig
	certs  *ClientCertificates
}

var _ Authenticator = (*FrontProxy)(nil)

// NewFrontProxy keeps the config, which must not be modified any more.
func NewFrontProxy(config FrontProxyConfig) (*FrontProxy, error) {
	if len(config.UsernameHeaders) == 0 {
		return nil, errors.New("auth: front proxy: no header holds the name of the user")
	}
	certs, err := newVerifier(config.CA, "front proxy's CA")
	if err != nil {
		return nil, err
	}
	return &FrontProxy{config: config, certs: certs}, nil
}

// Authenticate returns no user for a request without the headers, and an error if there are some
// and the client is no proxy.
func (f *FrontProxy) Authenticate(req *http.Request) (*User, error) {
	user := f.read(req.Header)
	f.strip(req.Header)
	if user.Name == "" || req.TLS == nil || len(req.TLS.PeerCertificates) == 0 {
		return nil, nil
	}
	if err := f.check(req.TLS.PeerCertificates); err != nil {
		return nil, err
	}
	user.Deliberate = true // the certificate is the proxy's, which has answered for its client
	return user, nil
}

func (f *FrontProxy) check(certs []*x509.Certificate) error {
	if _, err := f.certs.chain(certs); err != nil {
		return err
	}
	name := certs[0].Subject.CommonName
	if len(f.config.AllowedNames) > 0 && !slices.Contains(f.config.AllowedNames, name) {
		return fmt.Errorf("auth: front proxy: %q is none of those that --requestheader-allowed-names allows", name)
	}
	return nil
}

// read returns whom the headers name, whoever sent them.
func (f *FrontProxy) read(header http.Header) *User {
	user := &User{Name: first(header, f.config.UsernameHeaders), UID: first(header, f.config.UIDHeaders)}
	for _, name := range f.config.GroupHeaders {
		for _, group := range header.Values(name) {
			if group != "" {
				user.Groups = append(user.Groups, group)
			}
		}
	}
	for _, prefix := range f.config.ExtraPrefixes {
		for name, values := range header {
			if !hasPrefixFold(name, prefix) {
				continue
			}
			if user.Extra == nil {
				user.Extra = map[string][]string{}
			}
			key := UnescapeExtraKey(name[len(prefix):])
			user.Extra[key] = append(user.Extra[key], values...)
		}
	}
	return user
}

func (f *FrontProxy) strip(header http.Header) {
	for _, names := range [][]string{f.config.UsernameHeaders, f.config.UIDHeaders, f.config.GroupHeaders} {
		for _, name := range names {
			header.Del(name)
		}
	}
	for name := range header {
		if slices.ContainsFunc(f.config.ExtraPrefixes, func(prefix string) bool { return hasPrefixFold(name, prefix) }) {
			delete(header, name)
		}
	}
}

func first(header http.Header, names []string) string {
	for _, name := range names {
		if value := header.Get(name); value != "" {
			return value
		}
	}
	return ""
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// UnescapeExtraKey is the key of an extra that is a part of a header's name: in lower case, with
// %-escapes for what a header can't be called.
func UnescapeExtraKey(key string) string {
	key = strings.ToLower(key)
	if plain, err := url.PathUnescape(key); err == nil {
		return plain
	}
	return key
}
