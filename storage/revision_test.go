package storage_test

import (
	"testing"

	"github.com/typeplane/typeplane/storage"
)

func TestParseRevision(t *testing.T) {
	for text, want := range map[string]int64{"": 0, "0": 0, "1": 1, "042": 42, "9223372036854775807": 1<<63 - 1} {
		if got, err := storage.ParseRevision(text); got != want || err != nil {
			t.Errorf("%q is %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"-1", "+1", " 1", "1 ", "1.0", "0x1", "1_000", "9223372036854775808", "x", "٣"} {
		if got, err := storage.ParseRevision(text); got != 0 || err == nil {
			t.Errorf("%q is %d, want an error", text, got)
		}
	}
}

// What is printed is read back as the same.
func TestFormatRevision(t *testing.T) {
	for revision, want := range map[int64]string{0: "", 1: "1", 1<<63 - 1: "9223372036854775807"} {
		text := storage.FormatRevision(revision)
		back, err := storage.ParseRevision(text)
		if text != want || back != revision || err != nil {
			t.Errorf("%d is %q and then %d, %v", revision, text, back, err)
		}
	}
}

func TestCheckReached(t *testing.T) {
	for _, asked := range []int64{0, 4, 5} {
		if err := storage.CheckReached("get", "/pods/a", asked, 5); err != nil {
			t.Errorf("%d at 5: %v", asked, err)
		}
	}
	err := storage.CheckReached("get", "/pods/a", 6, 5)
	if storage.CodeOf(err) != storage.CodeFuture || err.Error() != "storage: get /pods/a: revision not reached yet (revision 6, current 5)" {
		t.Errorf("6 at 5: %v", err)
	}
	for match, want := range map[storage.Match]int64{storage.Latest: 0, storage.Any: 0, storage.NotOlderThan: 7, storage.Exact: 7} {
		if got := (storage.ListOptions{Match: match, Revision: 7}).Floor(); got != want {
			t.Errorf("match %d wants %d, want %d", match, got, want)
		}
	}
}

func TestSelections(t *testing.T) {
	for _, tc := range []struct {
		selection string
		in, out   []string
	}{
		{"/", []string{"/pods", "/pods/ns/a"}, nil},
		{"/pods/", []string{"/pods/a", "/pods/ns/a"}, []string{"/pods", "/pods2/a", "/pod/a", "/secrets/a"}},
		{"/pods/ns/a", []string{"/pods/ns/a"}, []string{"/pods/ns", "/pods/ns/ab", "/pods/ns/a/b", "/pods/ns/b"}},
	} {
		if err := storage.CheckSelection("list", tc.selection); err != nil {
			t.Error(err)
		}
		for _, key := range tc.in {
			if !storage.Selects(tc.selection, key) {
				t.Errorf("%s does not select %s", tc.selection, key)
			}
		}
		for _, key := range tc.out {
			if storage.Selects(tc.selection, key) {
				t.Errorf("%s selects %s", tc.selection, key)
			}
		}
	}
}
