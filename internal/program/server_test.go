package program_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/program/programtest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
)

// TestWithout: a program that has its kinds in an API loses a version as one that has them in its
// Server.
func TestWithout(t *testing.T) {
	for name, s := range map[string]program.Server{"server": programtest.Widgets(), "api": programtest.OwnWidgets()} {
		joined, _, err := program.Join(s.Without(widget.GV1beta1), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := joined.Resources[0].Versions(); slices.Contains(got, widget.GV1beta1) || !slices.Contains(got, widget.GV1) {
			t.Errorf("%s: %v", name, got)
		}
		if _, err := program.NewScheme(joined); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOwnGroups: the groups of APIs that the operator may leave out are not the program's own.
func TestOwnGroups(t *testing.T) {
	others := program.API{Resources: programtest.Widgets().Resources}
	virtual := map[schema.GroupVersion]string{{Group: "virtual.example.com", Version: "v1"}: "{}"}
	for name, tc := range map[string]struct {
		server program.Server
		want   []string
	}{
		"none":          {program.Server{}, nil},
		"in the server": {programtest.Widgets(), []string{widget.GroupKind.Group}},
		"in an API":     {programtest.OwnWidgets(), []string{widget.GroupKind.Group}},
		"only others":   {program.Server{APIs: []program.API{others}}, nil},
		"beside others": {program.Server{OpenAPI: virtual, APIs: []program.API{others, program.Own(program.API{OpenAPI: virtual})}}, []string{"virtual.example.com"}},
	} {
		if diff := cmp.Diff(tc.want, program.OwnGroups(tc.server)); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}
