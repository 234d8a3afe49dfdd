package serve

import (
	"bytes"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/internal/program/programtest"
	"github.com/typeplane/typeplane/internal/tool"
)

// TestPrintedConfigIsChecked prints a configuration that has a mistake.
func TestPrintedConfigIsChecked(t *testing.T) {
	var out bytes.Buffer
	err := run(t.Context(), programtest.Widgets(), []string{"--print-config", "--secure-port=-1"}, tool.Console{Out: &out})
	if err == nil || !strings.Contains(err.Error(), "--secure-port=-1") || !strings.Contains(out.String(), "secure-port: -1 # flag") {
		t.Errorf("%v\n%s", err, &out)
	}
}

// output runs a command as main does, and returns what it wrote.
func output(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := run(t.Context(), programtest.Widgets(), args, tool.Console{Out: &out, Err: t.Output()}); err != nil {
		t.Fatalf("%s: %v", strings.Join(args, " "), err)
	}
	return out.String()
}
