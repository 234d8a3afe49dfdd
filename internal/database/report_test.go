package database

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/program/programtest"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/memory"
)

func TestStorageReport(t *testing.T) {
	k, err := NewKinds(programtest.Widgets(), &program.NewOptions("widgets").Store)
	if err != nil {
		t.Fatal(err)
	}
	form, err := k.Resources[0].Form(k.Scheme, k.Options[0])
	if err != nil {
		t.Fatal(err)
	}
	db := memory.NewDatabase()
	for key, value := range map[string]string{"a": programtest.BetaJSON, "b": programtest.Current(t, programtest.BetaJSON), "c": "what?"} {
		db.Put(programtest.Prefix+"ns/"+key, []byte(value))
	}
	s := &Surveyor{Kinds: k, Stores: []storage.Interface{memory.New(memory.Config{Database: db, Root: "/registry", Form: form})}}
	got, err := s.Report(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	report := got.(storageReport)
	if problems := report.Resources[0].Problems; len(problems) != 1 || !strings.Contains(problems[0], "ns/c") {
		t.Errorf("problems %q", problems)
	}
	report.Resources[0].Problems = nil
	want := storageReport{Stale: 1, Unreadable: 1, Resources: []resourceReport{{
		Resource: "widgets.shop.example.com", StorageVersion: "shop.example.com/v1", MediaType: "application/vnd.kubernetes.protobuf",
		Objects: 3, Stale: 1, Unreadable: 1,
	}}}
	if diff := cmp.Diff(want, report); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
