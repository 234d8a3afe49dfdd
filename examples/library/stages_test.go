package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/typeplane/typeplane/examples/library/api/v1"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/serializer"
	"github.com/typeplane/typeplane/storage/memory"
)

// BenchmarkStages takes apart what a request costs inside the handler: no HTTP, no etcd, nobody who
// tracks owners. The book is one that clients have written for a while.
func BenchmarkStages(b *testing.B) {
	s, ctx := scheme(b), context.Background()
	served, err := newServer().Resources[0].Serve(s, memory.New(memory.Config{}), registry.Options{})
	if err != nil {
		b.Fatal(err)
	}
	books, namespace := served[0], rest.Name{Namespace: "default"}
	stored := storedBook()
	body, err := serializer.Append(nil, stored, serializer.JSON, false)
	if err != nil {
		b.Fatal(err)
	}
	const listed = 500
	for i := range listed {
		book := stored.DeepCopy()
		book.Name = fmt.Sprintf("book-%04d", i)
		if _, err := books.Create.Create(ctx, new(rest.Request), namespace, book, metav1.CreateOptions{}); err != nil {
			b.Fatal(err)
		}
	}
	book := rest.Name{Namespace: "default", Name: "book-0000"}
	stage := func(name string, f func(i int) error) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if err := f(i); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	stage("decode JSON", func(int) error {
		_, err := serializer.Decode(s, body, serializer.JSON, v1.SchemeGroupVersion.WithKind("Book"))
		return err
	})
	create := func(i int) (rest.View, error) {
		decoded, err := serializer.Decode(s, body, serializer.JSON, v1.SchemeGroupVersion.WithKind("Book"))
		if err != nil {
			return nil, err
		}
		runtime.Meta(decoded.Object).Name = fmt.Sprintf("new-%d", i)
		return books.Create.Create(ctx, new(rest.Request), namespace, decoded.Object, metav1.CreateOptions{DryRun: []string{"All"}})
	}
	stage("create", func(i int) error { return written(create(i)) })
	stage("update", func(i int) error {
		decoded, err := serializer.Decode(s, body, serializer.JSON, v1.SchemeGroupVersion.WithKind("Book"))
		if err != nil {
			return err
		}
		meta := runtime.Meta(decoded.Object)
		meta.Name, meta.UID, meta.Labels["round"] = book.Name, "", fmt.Sprint(i)
		view, _, err := books.Update.Update(ctx, new(rest.Request), book, decoded.Object, metav1.UpdateOptions{})
		return written(view, err)
	})
	stage("get JSON", func(int) error { return written(books.Get.Get(ctx, book, metav1.GetOptions{})) })
	stage(fmt.Sprintf("list %d JSON", listed), func(int) error {
		return written(books.List.List(ctx, "", metav1.ListOptions{}))
	})
	stage(fmt.Sprintf("list %d by field", listed), func(int) error {
		return written(books.List.List(ctx, "", metav1.ListOptions{FieldSelector: "spec.shelf=nowhere"}))
	})
}

// written writes a view as JSON, as the server does, into nothing.
func written(view rest.View, err error) error {
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := view.WriteTo(&out, rest.Representation{MediaType: rest.JSON}); err != nil {
		return err
	}
	_, err = out.WriteTo(io.Discard)
	return err
}
