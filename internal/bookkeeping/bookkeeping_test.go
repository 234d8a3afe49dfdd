package bookkeeping_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/internal/bookkeeping"
)

func TestFormats(t *testing.T) {
	for _, content := range []string{"", "open", "{}", "17", "form", "\x00\n\n", "format"} {
		for _, f := range []bookkeeping.Format{bookkeeping.First, {Number: 2, Release: "v0.1.0"}, {Number: 30, Release: "v1.2.3-rc.1"}} {
			value := f.Encode([]byte(content))
			got, found, err := bookkeeping.Decode("/.key", value, f.Number)
			if string(got) != content || found != f || err != nil {
				t.Errorf("%q in %+v: %q, %+v, %v", content, f, got, found, err)
			}
			if f == bookkeeping.First {
				continue
			}
			_, _, err = bookkeeping.Decode("/.key", value, f.Number-1)
			var newer *bookkeeping.NewerError
			if !errors.As(err, &newer) || newer.Found != f || !strings.Contains(err.Error(), "/.key in the database has format") || !strings.Contains(err.Error(), f.Release+" or later") {
				t.Errorf("%q: %v", value, err)
			}
		}
	}
	for _, broken := range []string{"format ", "format x, release v1\n", "format 2\n{}", "format 1, release v1\n", "format 0, release v1\n", "format -1, release v1\n", "format 99999999999999999999, release v1\n"} {
		if _, _, err := bookkeeping.Decode("/.key", []byte(broken), 9); err == nil || !strings.Contains(err.Error(), "/.key in the database has the header") {
			t.Errorf("%q: %v", broken, err)
		}
	}
}
