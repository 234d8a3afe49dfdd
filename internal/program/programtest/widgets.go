// Package programtest has a program for tests, and an etcd with what it stores.
package programtest

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
)

// Widgets serves the kind of package widget.
func Widgets() program.Server {
	return program.Server{
		Name:        "widgets",
		AddToScheme: widget.AddToScheme,
		Resources: []registry.Resource{registry.Define(registry.Definition[*widget.Widget]{
			GroupKind: widget.GroupKind, Plural: "widgets", Namespaced: true,
			StorageVersion: widget.GV1,
			Versions:       []schema.GroupVersion{widget.GV1, widget.GV1beta1},
		})},
	}
}

// OwnWidgets is Widgets as the programs have it that gen init makes: its kinds are an API.
func OwnWidgets() program.Server {
	s := Widgets()
	return program.Server{Name: s.Name, APIs: []program.API{program.Own(program.API{AddToScheme: s.AddToScheme, Resources: s.Resources})}}
}

// OldWidgets is Widgets in the release before V1 was made.
func OldWidgets() program.Server {
	s := Widgets()
	s.AddToScheme = widget.AddOlderToScheme
	s.Resources = []registry.Resource{registry.Define(registry.Definition[*widget.Widget]{
		GroupKind: widget.GroupKind, Plural: "widgets", Namespaced: true,
		StorageVersion: widget.GV1beta1, Versions: []schema.GroupVersion{widget.GV1beta1},
	})}
	return s
}

// Stored forms of a widget: today's, and two of former days.
const (
	Prefix      = "/registry/shop.example.com/widgets/"
	BetaJSON    = `{"kind":"Widget","apiVersion":"shop.example.com/v1beta1","metadata":{"name":"beta","namespace":"ns"},"spec":{"colour":"red"}}`
	UnknownJSON = `{"kind":"Widget","apiVersion":"shop.example.com/v1","metadata":{"name":"loose","namespace":"ns"},"spec":{"color":"blue","gone":true}}`
)

// Current is what a server would write of a stored value.
func Current(t *testing.T, stored string) string {
	t.Helper()
	form, err := Widgets().Resources[0].Form(widget.Scheme(), registry.Options{})
	if err != nil {
		t.Fatal(err)
	}
	value, _, err := form.Canonical("/k", []byte(stored))
	if err != nil {
		t.Fatal(err)
	}
	return string(value)
}

// Placed keeps its widgets below a prefix of their own.
func Placed(keyPrefix string) program.Server {
	s := Widgets()
	s.Resources = []registry.Resource{registry.Define(registry.Definition[*widget.Widget]{
		GroupKind: widget.GroupKind, Plural: "widgets", Namespaced: true, KeyPrefix: keyPrefix,
		StorageVersion: widget.GV1, Versions: []schema.GroupVersion{widget.GV1, widget.GV1beta1},
	})}
	return s
}
