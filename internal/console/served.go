package console

import (
	"context"
	"crypto/tls"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/typeplane/typeplane/auth"
)

// Path is below which a server has its console.
const Path = "/console/"

// notSignedIn is the refusal of a request without a session.
const notSignedIn = "you are not signed in, or your session has ended: load the page again to sign in"

// pageTime is how long a form or a page may be under way. A page has 600 KB.
const pageTime = time.Minute

// ServedConfig says what the console of a server is of.
type ServedConfig struct {
	// Program is the name of the server's program, which the page shows.
	Program string
	// Groups are the API groups of the program's own kinds, which the page lists first.
	Groups []string
	// Authenticator says whose a credential is.
	Authenticator auth.Authenticator
	// Secret seals sessions. Servers with the same one know each other's.
	Secret []byte
	// Named says whether a host, without its port, is a name of the server.
	Named func(host string) bool
	Log   *slog.Logger
}

// Served is the console as a part of a server, behind a login. A request of the page goes to the
// API's handler with the credential of its session, and so is that user's in every respect.
//
// It asks the same of a request as a door: its Host is ours, it comes from our page, and it has the
// cookie. It is safe for concurrent use.
type Served struct {
	config   ServedConfig
	api      http.Handler
	sessions *sessions
	files    http.Handler
}

// NewServed returns what answers below Path.
func NewServed(c ServedConfig, api http.Handler) (*Served, error) {
	sessions, err := newSessions(c.Secret)
	if err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	files, err := fs.Sub(built, "page")
	if err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	return &Served{config: c, api: api, sessions: sessions, files: http.FileServerFS(files)}, nil
}

func (s *Served) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	set(w, pageHeaders)
	if r.TLS == nil || !s.config.Named(hostOf(r)) {
		http.Error(w, "The console is not at this address: its host is none in the server's certificate. The server's --tls-san adds one.", http.StatusMisdirectedRequest)
		return
	}
	rest := strings.TrimPrefix(r.URL.Path, Path)
	if strings.HasPrefix(rest, "server/") {
		s.pass(w, r)
		return
	}
	hurry(w)
	switch {
	case strings.HasPrefix(rest, "disk/"):
		Refuse(w, http.StatusNotImplemented, "a server shows no bytes in its own console: the command `console` does, where it runs with the server's --data-dir")
	case strings.HasPrefix(rest, "audit/"):
		Refuse(w, http.StatusNotImplemented, "a server shows no audit log in its own console: the command `console` does, where it runs with the server's --data-dir")
	case rest == "login" || rest == "logout":
		s.change(w, r, rest == "login")
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		http.Error(w, "There is nothing here but pages.", http.StatusMethodNotAllowed)
	case rest == "about.json":
		s.sendAbout(w, r)
	case rest == "login.js":
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		io.WriteString(w, loginScript)
	case rest == "" && s.session(r) == nil:
		s.ask(w, r, http.StatusOK, "")
	default:
		http.StripPrefix(strings.TrimSuffix(Path, "/"), s.files).ServeHTTP(w, r)
	}
}

// sendAbout requires a session, because the groups of a server are not public.
func (s *Served) sendAbout(w http.ResponseWriter, r *http.Request) {
	if s.session(r) == nil {
		Refuse(w, http.StatusUnauthorized, notSignedIn)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(about{Program: s.config.Program, Server: "https://" + r.Host, Groups: s.config.Groups, SignOut: true})
}

// hurry bounds how long a client may take to send a form, or to read a page. Nobody has signed in
// for it yet.
func hurry(w http.ResponseWriter) {
	control, end := http.NewResponseController(w), time.Now().Add(pageTime)
	_ = control.SetReadDeadline(end) // not every ResponseWriter has one: those of tests do not
	_ = control.SetWriteDeadline(end)
}

// hostOf is the host that a request names, without its port.
func hostOf(r *http.Request) string {
	if host, _, err := net.SplitHostPort(r.Host); err == nil {
		return host
	}
	return r.Host
}

// session is that of a request, nil if it has none that is good. One of a certificate is good with
// that certificate only.
func (s *Served) session(r *http.Request) *session {
	cookie, err := r.Cookie(s.sessions.cookie)
	if err != nil {
		return nil
	}
	found := s.sessions.open(cookie.Value, time.Now())
	if found == nil || found.Token == "" && found.Certificate != certificateOf(r) {
		return nil
	}
	return found
}

// pass hands a request of the page on to the API.
func (s *Served) pass(w http.ResponseWriter, r *http.Request) {
	set(w, answerHeaders)
	session := s.session(r)
	switch {
	case session == nil:
		Refuse(w, http.StatusUnauthorized, notSignedIn)
	case !fromOrigin(r, "https://"+r.Host):
		Refuse(w, http.StatusForbidden, "only the page of the console may ask this")
	case r.Header.Get("Upgrade") != "" || r.Method == http.MethodConnect:
		Refuse(w, http.StatusNotImplemented, "the console hands no upgraded connections on")
	default:
		ctx, cancel := context.WithDeadline(r.Context(), session.end()) // watches, too, end with it
		defer cancel()
		out := session.on(r.WithContext(ctx))
		out.Header.Del("Cookie")
		http.StripPrefix(Path+"server", s.api).ServeHTTP(&answer{ResponseWriter: w}, out)
	}
}

// change begins a session, or ends it.
func (s *Served) change(w http.ResponseWriter, r *http.Request, begin bool) {
	if r.Method != http.MethodPost {
		http.Redirect(w, r, Path, http.StatusSeeOther)
		return
	}
	if !fromOrigin(r, "https://"+r.Host) {
		http.Error(w, "Only the page of the console may ask this.", http.StatusForbidden)
		return
	}
	if !begin {
		http.SetCookie(w, s.sessions.bake("", -1))
		http.Redirect(w, r, Path, http.StatusSeeOther)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, mostForm)
	begun := &session{Token: strings.TrimSpace(r.PostFormValue("token")), End: time.Now().Add(sessionLife).Unix()}
	if r.PostFormValue("certificate") != "" {
		begun.Token, begun.Certificate = "", certificateOf(r)
	}
	if begun.Token == "" && begun.Certificate == "" {
		s.ask(w, r, http.StatusBadRequest, "There is no token.")
		return
	}
	user := s.who(begun.on(r))
	if user == "" {
		s.config.Log.Warn("somebody was not let in to the console: their credential is none that the server knows", "remote", r.RemoteAddr)
		s.ask(w, r, http.StatusForbidden, "The server does not know this credential.")
		return
	}
	value := s.sessions.seal(begun)
	if len(value) > mostCookie {
		s.ask(w, r, http.StatusBadRequest, "This token is longer than a cookie can hold. Take one of fewer claims, or open the console with its command.")
		return
	}
	s.config.Log.Info("a session of the console has begun", "user", user, "remote", r.RemoteAddr)
	http.SetCookie(w, s.sessions.bake(value, int(sessionLife.Seconds())))
	http.Redirect(w, r, Path, http.StatusSeeOther)
}

// who is the user of a request, "" if it is nobody's.
func (s *Served) who(r *http.Request) string {
	user, err := s.config.Authenticator.Authenticate(r)
	if err != nil || user == nil || user.Name == auth.UserAnonymous {
		return ""
	}
	return user.Name
}

//go:embed login.html
var loginPage string

//go:embed login.js
var loginScript string

var login = template.Must(template.New("login").Parse(loginPage))

// ask answers with the form. Its request is to say where it comes from, so it has a referrer.
func (s *Served) ask(w http.ResponseWriter, r *http.Request, code int, problem string) {
	w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
	w.Header().Set("Referrer-Policy", "same-origin")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	byCertificate := ""
	if sum := certificateOf(r); sum != "" {
		byCertificate = s.who((&session{Certificate: sum}).on(r))
	}
	login.Execute(w, map[string]any{
		"Program": s.config.Program, "Problem": problem, "Certificate": byCertificate, "Life": "an hour",
		"Linked": r.Header.Get("Sec-Fetch-Site") == "cross-site",
	})
}

// answer has the headers of the API's answers that are ours to set.
type answer struct {
	http.ResponseWriter
	begun bool
}

func (a *answer) WriteHeader(code int) {
	if !a.begun {
		a.begun = code >= 200
		a.Header().Del("Set-Cookie")
		set(a, answerHeaders)
	}
	a.ResponseWriter.WriteHeader(code)
}

func (a *answer) Write(p []byte) (int, error) {
	if !a.begun {
		a.WriteHeader(http.StatusOK)
	}
	return a.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach the connection.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// FlushError sends what there is, with the headers that are ours.
func (a *answer) FlushError() error {
	if !a.begun {
		a.WriteHeader(http.StatusOK)
	}
	return http.NewResponseController(a.ResponseWriter).Flush()
}

// withoutCertificate is a connection on which the client has shown none.
func withoutCertificate(state *tls.ConnectionState) *tls.ConnectionState {
	bare := *state
	bare.PeerCertificates, bare.VerifiedChains = nil, nil
	return &bare
}
