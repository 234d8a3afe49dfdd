package auth

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// CredentialID is the key in User.Extra of what names the credential that was shown, as in
// Kubernetes. It is X509SHA256= with the hash of a client certificate, or JTI= with the ID of a
// token.
const CredentialID = "authentication.kubernetes.io/credential-id"

// revocationPatience is how long a request waits for the first list of what is revoked.
const revocationPatience = 5 * time.Second

// Revocations are the credentials that are not good any more, by their CredentialID. Whoever shows
// one is refused, on a connection that is open, too, and what lasts can be ended (AfterRevoked).
// The zero value has none and waits for none. It is safe for concurrent use.
type Revocations struct {
	mu     sync.RWMutex
	known  chan struct{} // closed when the list is known; nil: nobody keeps one
	listed bool
	ids    map[string]bool
	open   map[string]map[*func()]bool // what is called when an ID is revoked
}

// Expect says that somebody is going to Set the list. Until then nobody is let in whose credential
// might be on it. It is called before the first request.
func (r *Revocations) Expect() { r.known = make(chan struct{}) }

// Set replaces the list. What is open with one of the credentials ends.
func (r *Revocations) Set(ids []string) {
	var ended []*func()
	r.mu.Lock()
	r.ids = make(map[string]bool, len(ids))
	for _, id := range ids {
		r.ids[id] = true
		for f := range r.open[id] {
			ended = append(ended, f)
		}
		delete(r.open, id)
	}
	if r.known != nil && !r.listed {
		close(r.known)
	}
	r.listed = true
	r.mu.Unlock()
	for _, f := range ended {
		(*f)()
	}
}

var errRevocationsUnknown = errors.New("the revoked credentials have not been read yet")

// Ready fails until the list is known, where there is one.
func (r *Revocations) Ready(context.Context) error {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.known != nil && !r.listed {
		return errRevocationsUnknown
	}
	return nil
}

// AfterRevoked calls f, once, when the credential of the user is revoked: at once if it is. f is
// quick. stop takes that back; it is called in the end in any case. A user without a CredentialID
// keeps what they have.
func (r *Revocations) AfterRevoked(user *User, f func()) (stop func()) {
	id := credentialID(user)
	if id == "" {
		return func() {}
	}
	r.mu.Lock()
	if r.revoked(id, user.Twin) {
		r.mu.Unlock()
		f()
		return func() {}
	}
	defer r.mu.Unlock()
	if r.open == nil {
		r.open = map[string]map[*func()]bool{}
	}
	f = sync.OnceFunc(f)
	ids := []string{id}
	if user.Twin != "" {
		ids = append(ids, user.Twin)
	}
	for _, id := range ids {
		if r.open[id] == nil {
			r.open[id] = map[*func()]bool{}
		}
		r.open[id][&f] = true
	}
	return func() { r.forget(ids, &f) }
}

// revoked says whether one of two IDs is on the list. The caller holds mu.
func (r *Revocations) revoked(id, twin string) bool {
	return r.ids[id] || twin != "" && r.ids[twin]
}

func (r *Revocations) forget(ids []string, f *func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range ids {
		if delete(r.open[id], f); len(r.open[id]) == 0 {
			delete(r.open, id)
		}
	}
}

// Over returns an Authenticator that refuses whom a knows by a credential that is revoked. While
// the list is not known it answers 503, after a moment.
func (r *Revocations) Over(a Authenticator) Authenticator { return unrevoked{a, r} }

type unrevoked struct {
	Authenticator
	list *Revocations
}

func (u unrevoked) Authenticate(req *http.Request) (*User, error) {
	user, err := u.Authenticator.Authenticate(req)
	id := credentialID(user)
	if err != nil || id == "" {
		return user, err
	}
	if err := u.list.await(req.Context()); err != nil {
		return nil, apierrors.NewServiceUnavailable(err.Error())
	}
	u.list.mu.RLock()
	defer u.list.mu.RUnlock()
	if u.list.revoked(id, user.Twin) {
		return nil, errors.New("auth: the credential of " + user.Name + " is revoked: " + id)
	}
	return user, nil
}

// await waits a moment for the list, if there is to be one.
func (r *Revocations) await(ctx context.Context) error {
	if r.known == nil {
		return nil
	}
	select {
	case <-r.known:
		return nil
	default:
	}
	timer := time.NewTimer(revocationPatience)
	defer timer.Stop()
	select {
	case <-r.known:
		return nil
	case <-ctx.Done():
	case <-timer.C:
	}
	return errRevocationsUnknown
}

// credentialID is what names the credential of a user, "" if nothing does.
func credentialID(user *User) string {
	if user == nil {
		return ""
	}
	if ids := user.Extra[CredentialID]; len(ids) == 1 {
		return ids[0]
	}
	return ""
}
