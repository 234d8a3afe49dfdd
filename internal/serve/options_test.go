package serve

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/program/programtest"
	"github.com/typeplane/typeplane/internal/tool"
)

// TestFormerFlags: a command line of another API server is taken where it asks for what is so in
// any case, and each flag that changes nothing is said to.
func TestFormerFlags(t *testing.T) {
	fs, o := program.NewFlags(program.Server{Name: "library"})
	if err := fs.Parse([]string{"--enable-garbage-collector", "--etcd-quorum-read", "--storage-backend", "etcd3", "--watch-cache-sizes=pods#100,deployments.apps#5", "--default-watch-cache-size=100"}); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	o.Log = slog.New(slog.NewTextHandler(&out, nil))
	o.Serving.SecurePort, o.Store.DataDir, o.Store.InMemory = 0, t.TempDir(), true
	i, err := Open(t.Context(), programtest.Widgets(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer i.opened.close()
	for _, want := range []string{"--enable-garbage-collector=true changes nothing: who collects", "--etcd-quorum-read=true changes nothing: every read", "--storage-backend=etcd3 changes nothing: etcd3 is the only", "--watch-cache-sizes=pods#100,deployments.apps#5 changes nothing: a watch cache", "--default-watch-cache-size=100 changes nothing: a watch cache"} {
		if strings.Count(out.String(), want) != 1 {
			t.Errorf("want one line with %q:\n%s", want, &out)
		}
	}
	if !strings.Contains(tool.Usage((program.Server{Name: "library"}), fs), "--default-watch-cache-size") {
		t.Error("the help does not say which flags are taken without effect")
	}
}

func TestShellQuote(t *testing.T) {
	for in, want := range map[string]string{"/a/b": "/a/b", "/a b": "'/a b'", "/it's": `'/it'\''s'`} {
		if got := shellQuote(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestInFlightZeroIsNoBound(t *testing.T) {
	if got := []int{inFlight(0), inFlight(7)}; got[0] >= 0 || got[1] != 7 {
		t.Errorf("got %v", got)
	}
}
