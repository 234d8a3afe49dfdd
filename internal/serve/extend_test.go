package serve

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/registry/rest"
)

// TestWarnsOfEnds: a time at which objects end is a promise that only a garbage collector keeps.
func TestWarnsOfEnds(t *testing.T) {
	ends := func(rest.View) (time.Time, bool, error) { return time.Time{}, false, nil }
	visits := []rest.Resource{{Name: "visits", Ends: ends}, {Name: "doors"}, {Name: "visits", Ends: ends}}
	for _, tc := range []struct {
		name      string
		apis      []program.API
		resources []rest.Resource
		want      bool
	}{
		{"nobody collects", nil, visits, true},
		{"somebody collects", []program.API{{Collects: true}}, visits, false},
		{"nothing ends", nil, visits[1:2], false},
	} {
		var said bytes.Buffer
		p := &plan{program: program.Server{APIs: tc.apis}, log: slog.New(slog.NewTextHandler(&said, nil))}
		p.warnOfEnds(tc.resources)
		if got := strings.Contains(said.String(), "resources=visits\n"); got != tc.want {
			t.Errorf("%s: the log is %q", tc.name, &said)
		}
	}
}
