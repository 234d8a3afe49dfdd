package server

import (
	"net/url"
	"strings"
)

// mask stands for a value that the audit log does not have.
const mask = "***"

// credentialNames are the ends of the names of query parameters that hold credentials, in lower
// case and without "-" and "_". This server reads none of them, but others do to which it forwards
// requests, and a client may send one here by mistake.
var credentialNames = []string{"token", "password", "passwd", "secret", "apikey", "authorization", "credential", "credentials"}

var withoutSeparators = strings.NewReplacer("-", "", "_", "")

// maskCredentials returns a raw query with mask for the values of parameters that may be
// credentials. All else stays as it was sent.
func maskCredentials(query string) string {
	var masked strings.Builder
	kept := 0 // how much of query is in masked
	for at := 0; at < len(query); {
		end := len(query)
		if n := strings.IndexAny(query[at:], "&;"); n >= 0 {
			end = at + n
		}
		if name, _, ok := strings.Cut(query[at:end], "="); ok && holdsCredential(name) {
			masked.WriteString(query[kept : at+len(name)+1])
			masked.WriteString(mask)
			kept = end
		}
		at = end + 1
	}
	if kept == 0 {
		return query
	}
	return masked.String() + query[kept:]
}

// holdsCredential reports whether a parameter of a name, as it stands in a URL, may be a
// credential. Of a name that can't be decoded that is not known.
func holdsCredential(name string) bool {
	decoded, err := url.QueryUnescape(name)
	if err != nil {
		return true
	}
	plain := withoutSeparators.Replace(strings.ToLower(decoded))
	for _, end := range credentialNames {
		if strings.HasSuffix(plain, end) {
			return true
		}
	}
	return false
}
