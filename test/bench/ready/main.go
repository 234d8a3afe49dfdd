// Command ready sends bytes that are ready: a bare net/http server over TLS and HTTP/2 that knows
// nothing of what it sends. What it costs is what no server on net/http goes below.
//
//	PUT any URL   keeps the body, the answer to a GET of the same URL and Accept; with an
//	              Accept-Encoding it is so compressed
//	GET that URL  sends it; or, if the query says watch, everything that is posted
//	POST          sends the body to those who watch with the same Accept
package main

import (
	"context"
	"crypto/tls"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"

	"k8s.io/client-go/util/cert"

	"github.com/typeplane/typeplane/internal/debugsocket"
)

func main() {
	port := flag.Int("port", 0, "TCP `port` to serve on, on 127.0.0.1")
	dir := flag.String("dir", "", "`directory` for the serving certificate")
	socket := flag.String("debug", "", "unix `socket` for profiles")
	flag.Parse()
	if err := run(*port, *dir, *socket); err != nil {
		fmt.Fprintln(os.Stderr, "ready:", err)
		os.Exit(1)
	}
}

func run(port int, dir, socket string) error {
	if err := debugsocket.Serve(socket); err != nil {
		return err
	}
	certificate, err := makeCertificate(dir)
	if err != nil {
		return err
	}
	srv := &http.Server{
		Addr:      net.JoinHostPort("127.0.0.1", strconv.Itoa(port)),
		Handler:   &server{answers: map[question]answer{}, watchers: map[*watcher]bool{}},
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}},
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, func() { srv.Close() })
	if err := srv.ListenAndServeTLS("", ""); err != http.ErrServerClosed {
		return err
	}
	return nil
}

// makeCertificate writes serving.crt into dir, for the client to trust.
func makeCertificate(dir string) (tls.Certificate, error) {
	crt, key, err := cert.GenerateSelfSignedCertKey("localhost", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
	if err != nil {
		return tls.Certificate{}, err
	}
	if err := os.WriteFile(filepath.Join(dir, "serving.crt"), crt, 0o600); err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(crt, key)
}

// question is all of a request that its answer depends on.
type question struct{ url, accept, coding string }

func questionOf(req *http.Request) question {
	return question{req.URL.RequestURI(), req.Header.Get("Accept"), req.Header.Get("Accept-Encoding")}
}

type answer struct {
	body []byte
	kind string
}

type server struct {
	mu       sync.RWMutex // guards the fields below
	answers  map[question]answer
	watchers map[*watcher]bool
}

func (s *server) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	switch {
	case req.Method == http.MethodGet && req.URL.Query().Has("watch"):
		s.watch(w, req)
	case req.Method == http.MethodGet:
		s.get(w, req)
	default:
		body, err := io.ReadAll(req.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if req.Method == http.MethodPost {
			s.post(req.Header.Get("Accept"), body)
			return
		}
		s.put(questionOf(req), answer{body, req.Header.Get("Content-Type")})
	}
}

func (s *server) put(q question, a answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[q] = a
}

func (s *server) get(w http.ResponseWriter, req *http.Request) {
	s.mu.RLock()
	a, ok := s.answers[questionOf(req)]
	s.mu.RUnlock()
	if !ok {
		http.NotFound(w, req)
		return
	}
	w.Header().Set("Content-Type", a.kind)
	if coding := req.Header.Get("Accept-Encoding"); coding != "" {
		w.Header().Set("Content-Encoding", coding)
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	w.Write(a.body)
}

// watcher is a stream of frames, of which the client has asked for one kind.
type watcher struct {
	accept string
	frames chan []byte
}

// room is how many frames a watcher may be behind.
const room = 100

func (s *server) watch(w http.ResponseWriter, req *http.Request) {
	me := &watcher{req.Header.Get("Accept"), make(chan []byte, room)}
	s.mu.Lock()
	s.watchers[me] = true
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.watchers, me)
	}()
	w.Header().Set("Content-Type", me.accept)
	flusher := w.(http.Flusher)
	flusher.Flush()
	for {
		select {
		case frame := <-me.frames:
			if _, err := w.Write(frame); err != nil {
				return
			}
			flusher.Flush()
		case <-req.Context().Done():
			return
		}
	}
}

func (s *server) post(accept string, frame []byte) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for w := range s.watchers {
		if w.accept == accept {
			w.frames <- frame
		}
	}
}
