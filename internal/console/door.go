package console

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
)

// door decides which requests get in. Whoever has the kubeconfig may do what it allows, so three
// things are asked of each request to the server:
//
//   - Its Host is our own address. A page of another site that gave its name our address has its
//     own name there.
//   - It comes from our own page, by what the browser says (Origin, Sec-Fetch-Site).
//   - It has the cookie. A browser sends a cookie to every port of a host, so ours is bound to a
//     path that nobody else knows.
type door struct {
	host   string // of our address, with the port
	token  string // opens the page, once
	path   string // below which all is, "/" and a random word
	cookie string // what a browser that was let in sends
	used   atomic.Bool
}

// cookieName is the name of the cookie.
const cookieName = "console"

func newDoor(host string) *door {
	return &door{host: host, token: rand.Text(), path: "/" + rand.Text(), cookie: rand.Text()}
}

// address is that of the page, with the token.
func (d *door) address() string { return "http://" + d.host + "/?token=" + d.token }

// policy is for the page: it has its own script and style, asks nobody else, and is in no frame.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// pageHeaders are those of all that belongs to the page.
var pageHeaders = map[string]string{
	"Content-Security-Policy":      policy,
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Referrer-Policy":              "no-referrer",
	"X-Content-Type-Options":       "nosniff",
	"Cache-Control":                "no-store",
}

// answerHeaders are those of the server's answers. A server may hand on what others wrote, like the
// page of a pod: as a document it is in a sandbox, where it has no origin.
var answerHeaders = map[string]string{
	"Content-Security-Policy":      "default-src 'none'; sandbox; frame-ancestors 'none'",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Referrer-Policy":              "no-referrer",
	"X-Content-Type-Options":       "nosniff",
	"Cache-Control":                "no-store",
}

// guard lets in to the page and to what only the page may ask.
func (d *door) guard(page, inside http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != d.host {
			http.Error(w, "the console is at http://"+d.host+" only", http.StatusMisdirectedRequest)
			return
		}
		if r.URL.Path == "/" {
			d.enter(w, r)
			return
		}
		rest, found := strings.CutPrefix(r.URL.Path, d.path+"/")
		if !found {
			http.Error(w, "There is nothing here. Open the address that the command has printed.", http.StatusNotFound)
			return
		}
		if isInside(rest) {
			d.pass(w, r, http.StripPrefix(d.path, inside))
			return
		}
		set(w, pageHeaders)
		http.StripPrefix(d.path, page).ServeHTTP(w, r)
	})
}

// enter takes the token for a cookie.
func (d *door) enter(w http.ResponseWriter, r *http.Request) {
	set(w, pageHeaders)
	token := r.URL.Query().Get("token")
	if r.Method != http.MethodGet || subtle.ConstantTimeCompare([]byte(token), []byte(d.token)) != 1 {
		http.Error(w, "Open the address that the command has printed, with its token.", http.StatusForbidden)
		return
	}
	if d.used.Swap(true) {
		http.Error(w, "This address was opened before, and is good once. Start the command again for another one.\n"+
			"If it was not you who opened it, stop the command: somebody else has your rights.", http.StatusForbidden)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: cookieName, Value: d.cookie, Path: d.path + "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, d.path+"/", http.StatusSeeOther)
}

// pass lets a request through to the server if it is one of the page.
func (d *door) pass(w http.ResponseWriter, r *http.Request, server http.Handler) {
	set(w, answerHeaders)
	switch cookie, err := r.Cookie(cookieName); {
	case err != nil || subtle.ConstantTimeCompare([]byte(cookie.Value), []byte(d.cookie)) != 1:
		Refuse(w, http.StatusUnauthorized, "this browser was not let in: open the address that the command has printed")
	case !fromOrigin(r, "http://"+d.host):
		Refuse(w, http.StatusForbidden, "only the page of the console may ask this")
	case r.Header.Get("Upgrade") != "":
		Refuse(w, http.StatusNotImplemented, "the console hands no upgraded connections on")
	default:
		server.ServeHTTP(w, r)
	}
}

// fromOrigin says whether a request comes from a page of an origin. Browsers send Origin with all
// that changes something, and Sec-Fetch-Site with everything.
func fromOrigin(r *http.Request, ours string) bool {
	origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site")
	if origin != "" && origin != ours || site != "" && site != "same-origin" {
		return false
	}
	return origin != "" || site != "" && r.Method == http.MethodGet
}

func set(w http.ResponseWriter, headers map[string]string) {
	for name, value := range headers {
		w.Header().Set(name, value)
	}
}

// Refuse answers with a Status, as the server does.
func Refuse(w http.ResponseWriter, code int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(code)
	json.NewEncoder(w).Encode(map[string]any{
		"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "message": message,
	})
}
