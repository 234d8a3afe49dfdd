// Command stairs answers every request with the same bytes, from one of the stairs that lead from a
// bare net/http server to internal/server. Each does more for a request than the one below. It is a
// part of the harness, which measures what a request costs on each of them.
package main

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	pkgruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/cert"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/debugsocket"
	"github.com/typeplane/typeplane/internal/server"
	"github.com/typeplane/typeplane/internal/server/transport"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
)

// flags are what the harness says. The answer is the content of a file.
type flags struct {
	port, stair                 int
	dir, answer, clientCA, sock string
}

func main() {
	var f flags
	flag.IntVar(&f.port, "port", 0, "TCP `port` to serve on, on 127.0.0.1")
	flag.IntVar(&f.stair, "stair", 0, "`number` of the stair, from 0")
	flag.StringVar(&f.dir, "dir", "", "`directory` for the serving certificate")
	flag.StringVar(&f.answer, "answer", "", "`file` with the body of every answer")
	flag.StringVar(&f.clientCA, "client-ca-file", "", "`file` with the authority of the client's certificate")
	flag.StringVar(&f.sock, "debug", "", "unix `socket` for profiles")
	flag.Parse()
	if err := run(f); err != nil {
		fmt.Fprintln(os.Stderr, "stairs:", err)
		os.Exit(1)
	}
}

func run(f flags) error {
	if err := debugsocket.Serve(f.sock); err != nil {
		return err
	}
	body, err := os.ReadFile(f.answer)
	if err != nil {
		return err
	}
	config, err := newTLS(f.dir)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(f.port)))
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	ready := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", string(rest.Protobuf))
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.Write(body)
	}
	switch f.stair {
	case 0:
		return serve(ctx, listener, &http.Server{Handler: http.HandlerFunc(ready), TLSConfig: config})
	case 1:
		config.ClientAuth = tls.RequestClientCert
		return serve(ctx, listener, &http.Server{Handler: http.HandlerFunc(ready), TLSConfig: config})
	case 2:
		srv, err := transport.NewServer(http.HandlerFunc(ready), config, 0, nil)
		if err != nil {
			return err
		}
		return serve(ctx, listener, srv)
	}
	s, err := newServer(f.clientCA, body)
	if err != nil {
		return err
	}
	if n := f.stair - 3; n < len(server.Steps()) {
		s.Cut(n, ready)
	}
	return s.Serve(ctx, listener, config)
}

func serve(ctx context.Context, listener net.Listener, srv *http.Server) error {
	context.AfterFunc(ctx, func() { srv.Close() })
	if err := srv.ServeTLS(listener, "", ""); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// newTLS writes serving.crt into dir, for the client to trust.
func newTLS(dir string) (*tls.Config, error) {
	crt, key, err := cert.GenerateSelfSignedCertKey("localhost", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "serving.crt"), crt, 0o600); err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(crt, key)
	return &tls.Config{Certificates: []tls.Certificate{pair}}, err
}

// newServer has pods whose get is ready bytes.
func newServer(clientCA string, body []byte) (*server.Server, error) {
	bundle, err := os.ReadFile(clientCA)
	if err != nil {
		return nil, err
	}
	users, err := auth.NewClientCertificates(bundle)
	if err != nil {
		return nil, err
	}
	b := runtime.NewBuilder()
	hub := runtime.AddHub(b, schema.GroupKind{Kind: "Pod"}, func() *corev1.Pod { return new(corev1.Pod) })
	runtime.AddVersion(hub, runtime.Version[*corev1.Pod, *corev1.Pod]{
		GroupVersion: corev1.SchemeGroupVersion,
		New:          func() *corev1.Pod { return new(corev1.Pod) },
		NewList:      func() pkgruntime.Object { return new(corev1.PodList) },
	})
	scheme, err := b.Build()
	if err != nil {
		return nil, err
	}
	return server.New(server.Config{
		Scheme:        scheme,
		Version:       server.Version{GitVersion: "v0.0.0"},
		Authenticator: auth.Union{users},
		Resources: []rest.Resource{{
			GroupVersion: corev1.SchemeGroupVersion, Name: "pods", Singular: "pod", Kind: "Pod", Namespaced: true,
			Get: getter{view(body)},
		}},
	})
}

type getter struct{ view rest.View }

func (g getter) Get(context.Context, rest.Name, metav1.GetOptions) (rest.View, error) {
	return g.view, nil
}

type view []byte

func (v view) WriteTo(w io.Writer, _ rest.Representation) error {
	_, err := w.Write(v)
	return err
}
