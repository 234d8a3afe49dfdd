// Command ours is pods on Typeplane: the type and the generated code of examples/cluster, without
// its rules, and with the defaults that the peer has. It is built as a product is, with one more
// flag, for profiles.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	pkgruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane"
	v1 "github.com/typeplane/typeplane/examples/cluster/api/core/v1"
	"github.com/typeplane/typeplane/internal/debugsocket"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/wire"
	"github.com/typeplane/typeplane/test/bench/pods"
)

var podKind = schema.GroupKind{Kind: "Pod"}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "ours:", err)
		os.Exit(1)
	}
}

func run() error {
	o := typeplane.NewOptions("ours")
	fs := pflag.NewFlagSet("ours", pflag.ContinueOnError)
	o.AddFlags(fs)
	socket := fs.String("debug", "", "unix `socket` for profiles")
	documents := fs.Bool("documents", false, "serve pods without protobuf, which are stored as documents")
	if err := fs.Parse(os.Args[1:]); err != nil {
		return err
	}
	if err := debugsocket.Serve(*socket); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	s := newServer()
	if *documents {
		s.AddToScheme, s.Resources = addDocuments, []registry.Resource{resource[*document](corev1.SchemeGroupVersion)}
	}
	return typeplane.Run(ctx, s, o, os.Stdout)
}

func addToScheme(b *runtime.Builder) {
	hub := runtime.AddHub(b, podKind, func() *corev1.Pod { return new(corev1.Pod) })
	runtime.AddVersion(hub, runtime.Version[*corev1.Pod, *corev1.Pod]{
		GroupVersion:     corev1.SchemeGroupVersion,
		New:              func() *corev1.Pod { return new(corev1.Pod) },
		NewList:          func() pkgruntime.Object { return new(corev1.PodList) },
		Default:          pods.Default,
		AppendJSON:       v1.AppendJSON_Pod,
		ReadJSON:         v1.ReadJSON_Pod,
		AppendProtobuf:   v1.AppendProtobuf_Pod,
		UnmarshalShared:  v1.UnmarshalShared_Pod,
		Recycler:         v1.Recycler_Pod,
		JSONTable:        &v1.JSONTable_Pod,
		DeepCopy:         v1.DeepCopy_Pod,
		CompareFields:    v1.CompareFields_Pod,
		SelectableFields: pods.SelectableFields,
		StoredFields:     wire.Fields{"spec.nodeName": wire.String(2, 10), "status.phase": wire.String(3, 1)},
	})
	addOlder(hub)
}

func newServer() typeplane.Server {
	return typeplane.Server{
		Name:        "ours",
		AddToScheme: addToScheme,
		Resources:   []registry.Resource{resource[*corev1.Pod](corev1.SchemeGroupVersion, olderVersion)},
		// With schemas the server keeps who owns which field, as the peer does.
		OpenAPI: map[schema.GroupVersion]string{corev1.SchemeGroupVersion: v1.OpenAPISchemas},
	}
}

func resource[T runtime.Object](versions ...schema.GroupVersion) registry.Resource {
	return registry.Define(registry.Definition[T]{
		GroupKind:      podKind,
		Plural:         "pods",
		Singular:       "pod",
		Namespaced:     true,
		StorageVersion: corev1.SchemeGroupVersion,
		Versions:       versions,
	})
}
