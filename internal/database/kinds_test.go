package database

import (
	"testing"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/program/programtest"
	"github.com/typeplane/typeplane/registry/rest"
)

// Versions without protobuf are stored as JSON, whatever the flag says, and what tells of the
// stored form says so.
func TestMediaTypeOfVersionsWithoutProtobuf(t *testing.T) {
	old := []string{"widgets.shop.example.com=legacy.example.com/v1alpha1"}
	for _, tc := range []struct {
		versions []string
		want     rest.MediaType
	}{{nil, rest.Protobuf}, {old, rest.JSON}} {
		o := program.NewOptions("widgets").Store
		o.Versions = tc.versions
		k, err := NewKinds(programtest.Widgets(), &o)
		if err != nil {
			t.Fatal(err)
		}
		if got := k.Options[0].StorageMediaType; got != tc.want {
			t.Errorf("%q: %s, want %s", tc.versions, got, tc.want)
		}
	}
}
