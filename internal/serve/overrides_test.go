package serve

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/program/programtest"
	"github.com/typeplane/typeplane/internal/tool"
	"github.com/typeplane/typeplane/storage/embedded"
)

// outerEtcd is one that a server reaches by its URL.
func outerEtcd(t *testing.T) (url string, etcd *embedded.Server) {
	t.Helper()
	dir, err := os.MkdirTemp("", "etcd") // t.TempDir is too long a path for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	etcd, err = embedded.Start(context.Background(), embedded.Config{Dir: dir, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(etcd.Close)
	return "unix://" + etcd.Socket(), etcd
}

const widgetsIn = "shop.example.com/widgets#"

// runOnce runs a server while use does something.
func runOnce(t *testing.T, dir string, change func(*program.Options), use func(i *Instance, client *http.Client)) {
	t.Helper()
	t.Run("a server", func(t *testing.T) {
		i, client := runningServer(t, programtest.Widgets(), func(o *program.Options) {
			o.Store.InMemory, o.Store.DataDir = false, dir
			change(o)
		})
		use(i, client)
	})
}

// startError is why a server does not start.
func startError(t *testing.T, dir string, change func(*program.Options)) string {
	t.Helper()
	o := program.NewOptions("widgets")
	o.Serving.SecurePort, o.Store.DataDir, o.Log = 0, dir, slog.New(slog.DiscardHandler)
	change(o)
	i, err := Open(t.Context(), programtest.Widgets(), o)
	if err != nil {
		return err.Error()
	}
	if err := i.opened.close(); err != nil {
		t.Error(err)
	}
	return "it starts"
}

func wantText(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("it lacks %q:\n%s", part, text)
		}
	}
}

// TestOverride: a resource lives in the etcd that is named for it, and is told of as such.
func TestOverride(t *testing.T) {
	url, etcd := outerEtcd(t)
	dir := t.TempDir()
	override := func(o *program.Options) { o.Store.EtcdOverrides = []string{widgetsIn + url} }
	runOnce(t, dir, override, func(i *Instance, client *http.Client) {
		post(t, client, i.URL()+widgetsPath, aWidget)
		wantText(t, getBody(t, client, i.URL()+widgetsPath+"/w"), `"name":"w"`)
		wantText(t, getBody(t, client, i.URL()+"/readyz?verbose"), "etcd ok", "etcd-override-0 ok")
		wantText(t, getBody(t, client, i.URL()+"/metrics"), `storage_cluster_id="etcd-1"`)
	})
	if got, err := etcd.Client().Get(t.Context(), programtest.Prefix+"default/w"); err != nil || got.Count != 1 {
		t.Errorf("the other etcd has %v of it, %v", got, err)
	}
	wantText(t, startError(t, dir, func(*program.Options) {}), "the objects of widgets.shop.example.com are in another etcd", "--etcd-servers-overrides="+widgetsIn+url)
	other, _ := outerEtcd(t)
	wantText(t, startError(t, dir, func(o *program.Options) { o.Store.EtcdOverrides = []string{widgetsIn + other} }), "is another one: name the former")
}

// TestOverrideRefused: what can't be meant is refused, with the place and what to do.
func TestOverrideRefused(t *testing.T) {
	url, _ := outerEtcd(t)
	for _, c := range []struct {
		overrides []string
		servers   []string
		says      []string
	}{
		{overrides: []string{"widgets#" + url}, says: []string{"item 1", "want group/resource#servers"}},
		{overrides: []string{widgetsIn + "127.0.0.1:2379"}, says: []string{"item 1", "is no URL"}},
		{overrides: []string{widgetsIn + url, widgetsIn + url}, says: []string{"item 2", "by item 1"}},
		{overrides: []string{"shop.example.com/widget#" + url}, says: []string{"item 1", "did you mean shop.example.com/widgets?"}},
		{overrides: []string{widgetsIn + url}, servers: []string{url}, says: []string{"is the same etcd as the etcd of all other resources"}},
	} {
		wantText(t, startError(t, t.TempDir(), func(o *program.Options) { o.Store.EtcdOverrides, o.Store.EtcdServers = c.overrides, c.servers }), c.says...)
	}
}

// transcript keeps what a command says, and calls stop when that has a text.
type transcript struct {
	bytes.Buffer
	text string
	stop func()
}

func (c *transcript) Write(p []byte) (int, error) {
	if c.text != "" && bytes.Contains(p, []byte(c.text)) {
		c.stop()
	}
	return c.Buffer.Write(p)
}

// migrate moves the widgets. It is stopped when it says until, "" for never.
func migrate(t *testing.T, dir, to, until string) (says string, ok bool) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out := &transcript{text: until, stop: stop}
	err := tool.Run(ctx, programtest.Widgets(), []string{"migrate", "--data-dir", dir, "--resource", "shop.example.com/widgets", "--to", to},
		tool.Console{In: strings.NewReader(""), Out: out, Err: out})
	if err != nil {
		fmt.Fprintln(out, err)
	}
	return out.String(), err == nil
}

// TestMove: objects move to another etcd and back. resourceVersions go up, and a watch of before
// ends.
func TestMove(t *testing.T) {
	url, etcd := outerEtcd(t)
	dir, inner, outer := t.TempDir(), func(*program.Options) {}, func(o *program.Options) { o.Store.EtcdOverrides = []string{widgetsIn + url} }
	var before string
	runOnce(t, dir, inner, func(i *Instance, client *http.Client) {
		for n := range 30 {
			post(t, client, i.URL()+widgetsPath, strings.Replace(aWidget, `"w"`, fmt.Sprintf(`"w%d"`, n), 1))
		}
		before = listRevision(t, client, i)
		says, ok := migrate(t, dir, url, "")
		if ok {
			t.Error("it moved what a running server writes")
		}
		wantText(t, says, "a server runs on", "stop it first")
	})
	wantText(t, startError(t, dir, outer), "there are 30 objects", "migrate --resource shop.example.com/widgets --to")
	for _, way := range []struct {
		to     string
		server func(*program.Options)
	}{{url, outer}, {"main", inner}} {
		if says, ok := migrate(t, dir, way.to, ""); !ok {
			t.Fatal(says)
		}
		runOnce(t, dir, way.server, func(i *Instance, client *http.Client) {
			wantText(t, getBody(t, client, i.URL()+widgetsPath), `"name":"w0"`, `"name":"w29"`)
			now := listRevision(t, client, i)
			if len(now) < len(before) || len(now) == len(before) && now < before {
				t.Errorf("the resourceVersion went back from %s to %s", before, now)
			}
			resp, err := client.Get(i.URL() + widgetsPath + "?watch=1&resourceVersion=" + before)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			first := make([]byte, 500)
			n, _ := io.ReadAtLeast(resp.Body, first, 50)
			wantText(t, string(first[:n]), "410")
			before = now
		})
	}
	if got, err := etcd.Client().Get(t.Context(), programtest.Prefix+"default/w0"); err != nil || got.Count != 0 {
		t.Errorf("%v of it is left in the other etcd, %v", got, err)
	}
}

func listRevision(t *testing.T, client *http.Client, i *Instance) string {
	t.Helper()
	_, rest, _ := strings.Cut(getBody(t, client, i.URL()+widgetsPath+"?limit=1"), `"resourceVersion":"`)
	revision, _, _ := strings.Cut(rest, `"`)
	return revision
}

// TestMoveStopped: a move that is stopped goes on, or is undone; until then servers start as
// before.
func TestMoveStopped(t *testing.T) {
	url, _ := outerEtcd(t)
	dir := t.TempDir()
	runOnce(t, dir, func(*program.Options) {}, func(i *Instance, client *http.Client) {
		for n := range 30 {
			post(t, client, i.URL()+widgetsPath, strings.Replace(aWidget, `"w"`, fmt.Sprintf(`"w%d"`, n), 1))
		}
	})
	says, ok := migrate(t, dir, url, "is brought from revision")
	if ok {
		t.Errorf("it was not stopped: %s", says)
	}
	wantText(t, says, "run it again to go on, or with --to main to undo it")
	wantText(t, startError(t, dir, func(*program.Options) {}), "it starts")
	wantText(t, startError(t, dir, func(o *program.Options) { o.Store.EtcdOverrides = []string{widgetsIn + url} }), "are being moved from the main database", "start as before", "which undoes it")
	if says, ok := migrate(t, dir, "main", ""); !ok || !strings.Contains(says, "as before") {
		t.Fatalf("undo: %s", says)
	}
	wantText(t, startError(t, dir, func(*program.Options) {}), "it starts")
	if says, ok := migrate(t, dir, url, ""); !ok {
		t.Fatalf("after it was undone: %s", says)
	}
	runOnce(t, dir, func(o *program.Options) { o.Store.EtcdOverrides = []string{widgetsIn + url} }, func(i *Instance, client *http.Client) {
		wantText(t, getBody(t, client, i.URL()+widgetsPath), `"name":"w0"`, `"name":"w29"`)
	})
}
