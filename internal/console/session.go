package console

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"time"
)

// session is what a cookie holds, sealed: whose requests are made in it, and until when. It has a
// token, or the digest of a client certificate.
type session struct {
	Token       string `json:"token,omitempty"`
	Certificate string `json:"certificate,omitempty"`
	End         int64  `json:"end"` // in seconds since 1970
}

const (
	// sessionLife is how long one is good. A stolen cookie is good as long, even after its owner
	// has signed out, so it is short. A token that is revoked or ends before is refused at once.
	sessionLife = time.Hour
	// mostForm bounds what a login sends, mostCookie what browsers keep of a cookie.
	mostForm, mostCookie = 16 << 10, 3900
)

func (s *session) end() time.Time { return time.Unix(s.End, 0) }

// on is a request with the session's credential and no other.
func (s *session) on(r *http.Request) *http.Request {
	out := r.Clone(r.Context())
	out.Header.Del("Authorization")
	if s.Token != "" {
		out.Header.Set("Authorization", "Bearer "+s.Token)
		out.TLS = withoutCertificate(r.TLS)
	}
	return out
}

// certificateOf is the digest of the certificate that a client has shown, "" without one.
func certificateOf(r *http.Request) string {
	if r.TLS == nil || len(r.TLS.PeerCertificates) == 0 {
		return ""
	}
	sum := sha256.Sum256(r.TLS.PeerCertificates[0].Raw)
	return hex.EncodeToString(sum[:])
}

// sessions seals them. Nothing of a session is kept in the server, so that any of several servers
// knows it, and none can be made to keep too many.
type sessions struct {
	aead   cipher.AEAD
	cookie string // its name, of the secret: cookies do not know ports, and servers share hosts
}

func newSessions(secret []byte) (*sessions, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, "typeplane console: key of sessions", 32)
	if err != nil {
		return nil, err
	}
	name, err := hkdf.Key(sha256.New, secret, nil, "typeplane console: name of the cookie", 6)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	return &sessions{aead: aead, cookie: "__Secure-console-" + hex.EncodeToString(name)}, nil
}

func (s *sessions) seal(one *session) string {
	plain, err := json.Marshal(one)
	if err != nil {
		panic(err) // strings and a number always become JSON
	}
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, plain, nil))
}

// open returns nil for what is none of ours, or has ended.
func (s *sessions) open(value string, now time.Time) *session {
	sealed, err := base64.RawURLEncoding.DecodeString(value)
	if err != nil {
		return nil
	}
	plain, err := s.aead.Open(nil, nil, sealed, nil)
	if err != nil {
		return nil
	}
	found := new(session)
	if err := json.Unmarshal(plain, found); err != nil || !now.Before(found.end()) {
		return nil
	}
	return found
}

// bake makes the cookie with a value, for seconds; below zero it takes the browser's away.
func (s *sessions) bake(value string, seconds int) *http.Cookie {
	return &http.Cookie{Name: s.cookie, Value: value, Path: Path, MaxAge: seconds, Secure: true, HttpOnly: true, SameSite: http.SameSiteStrictMode}
}
