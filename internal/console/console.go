package console

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/http/httputil"
	"slices"
	"strings"
	"time"

	"github.com/typeplane/typeplane/internal/delegated"
)

//go:embed page
var built embed.FS

// Config says what a console is of.
type Config struct {
	// Program is the name of the server's program, which the page shows.
	Program string
	// Groups are the API groups of the program's own kinds, which the page lists first.
	Groups []string
	// Server is where the requests of the page go.
	Server delegated.Config
	// Disk answers GET /{group}/{resource}/{namespace}/{name} with what lies in the database of the
	// server; nil: that can't be seen from here. Requests have passed the door.
	Disk http.Handler
	// Audit answers GET with the end of the server's audit log; nil: that can't be seen from here.
	// Requests have passed the door.
	Audit http.Handler
	// Port of 127.0.0.1 is where the page is; 0 is a free one.
	Port int
	// Opened is told the address of the page, which is good once.
	Opened func(address string)
}

// Serve answers until ctx ends.
func Serve(ctx context.Context, c Config) error {
	passage, err := delegated.NewPassage(c.Server)
	if err != nil {
		return err
	}
	defer passage.Close()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", c.Port))
	if err != nil {
		return fmt.Errorf("--port: %w", err)
	}
	d := newDoor(listener.Addr().String())
	server := &http.Server{
		Handler:           d.guard(pages(c), inside(c, passage)),
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx }, // ends watches
	}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	c.Opened(d.address())
	if err := server.Serve(listener); ctx.Err() == nil {
		return err
	}
	return nil
}

// about is the document about.json, from which the page learns about its server.
type about struct {
	Program string   `json:"program"`
	Server  string   `json:"server"`
	Groups  []string `json:"groups,omitempty"`
	// SignOut reports that there is a session to end.
	SignOut bool `json:"signOut,omitempty"`
}

// pages answers with the files of the page, and with what it can't ask the server.
func pages(c Config) http.Handler {
	files, err := fs.Sub(built, "page")
	if err != nil {
		panic(err) // the folder is embedded above
	}
	page, err := json.Marshal(about{Program: c.Program, Server: c.Server.Server, Groups: c.Groups})
	if err != nil {
		panic(err) // strings always become JSON
	}
	mux := http.NewServeMux()
	mux.Handle("GET /", http.FileServerFS(files))
	mux.HandleFunc("GET /about.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write(page)
	})
	return mux
}

// inside answers what only the page may ask: the server, and the files behind it.
func inside(c Config, passage *delegated.Passage) http.Handler {
	server, files := http.StripPrefix("/server", forward(passage)), http.NewServeMux()
	files.Handle("GET /disk/{group}/{resource}/{namespace}/{name}", orRefuse(c.Disk, "the bytes are shown where the console runs with the server's --data-dir, and not with --kubeconfig"))
	files.Handle("GET /audit/", orRefuse(c.Audit, "the end of the audit log is shown where the console runs with the server's --data-dir, or with --audit-log-path"))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/server/") {
			server.ServeHTTP(w, r) // no mux: it would have paths cleaned that the server wants as they are
			return
		}
		files.ServeHTTP(w, r)
	})
}

// orRefuse is h, or a refusal where there is none.
func orRefuse(h http.Handler, why string) http.Handler {
	if h != nil {
		return h
	}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { Refuse(w, http.StatusNotImplemented, why) })
}

// insidePaths are what inside answers.
var insidePaths = []string{"server/", "disk/", "audit/"}

// isInside says whether inside answers a path, which begins behind that of the page.
func isInside(path string) bool {
	return slices.ContainsFunc(insidePaths, func(prefix string) bool { return strings.HasPrefix(path, prefix) })
}

// forward hands requests on to the server, and answers back as they come.
func forward(passage *delegated.Passage) http.Handler {
	return &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.URL.Host = "http", "server" }, // the passage knows better
		Transport:     passage,
		FlushInterval: -1,
		ModifyResponse: func(r *http.Response) error {
			r.Header.Del("Set-Cookie")
			for name := range answerHeaders {
				r.Header.Del(name)
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if r.Context().Err() == nil {
				Refuse(w, http.StatusBadGateway, fmt.Sprintf("the server can't be reached: %v", err))
			}
		},
	}
}
