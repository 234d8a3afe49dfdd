package encryption

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/kmstest"
)

func TestBrokenFileIsNotUsed(t *testing.T) {
	good, better := file("pods", keysOf("aesgcm", "good")), file("pods", keysOf("aesgcm", "better"))
	o := open(t, good, func(o *Options) { o.Resources = []Resource{pods} })
	form := o.form()
	for name, breakIt := range map[string]func(){
		"a key is too short":     func() { o.write(file("pods", "{aesgcm: {keys: [{name: bad, secret: AAAA}]}}")) },
		"half of it":             func() { o.write(good[:len(good)/2]) },
		"for other resources":    func() { o.write(file("secrets", "{identity: {}}")) },
		"nothing in it":          func() { o.write("") },
		"it is gone":             func() { os.Remove(o.file) },
		"there is a folder":      func() { os.Remove(o.file); os.Mkdir(o.file, 0o700) },
		"a plug-in is not there": func() { o.write(file("pods", "{kms: {apiVersion: v2, name: a, endpoint: 'unix:///nowhere'}}")) },
	} {
		breakIt()
		eventually(t, "refused: "+name, func() bool { return o.FileHealth(t.Context()) != nil })
		err := o.FileHealth(t.Context())
		if !strings.Contains(err.Error(), "the one before stays in effect") || !strings.Contains(err.Error(), o.file) {
			t.Errorf("%s: %v", name, err)
		}
		if stored := mustStore(t, form, key, hello); !bytes.HasPrefix(stored, []byte("k8s:enc:aesgcm:v1:good:")) {
			t.Errorf("%s: stored %.40q", name, stored)
		}
		time.Sleep(5 * quick)
		os.RemoveAll(o.file)
		o.write(good)
		eventually(t, "mended: "+name, func() bool { return o.FileHealth(t.Context()) == nil })
		// Between two of the steps it may have seen that there is no file.
		if n := strings.Count(o.log.String(), "level=ERROR"); n < 1 || n > 3 {
			t.Errorf("%s: %d errors in the log, want one for each change:\n%s", name, n, o.log)
		}
		o.log.buffer.Reset()
	}
	select {
	case <-o.news:
		t.Error("caches were told to read again")
	default:
	}
	o.reload(better)
	if stored := mustStore(t, form, key, hello); !bytes.HasPrefix(stored, []byte("k8s:enc:aesgcm:v1:better:")) {
		t.Errorf("stored %.40q", stored)
	}
	if !strings.Contains(o.log.String(), `resources=[pods] providers="aesgcm [better]"`) {
		t.Errorf("the log:\n%s", o.log)
	}
}

func TestOpenRefuses(t *testing.T) {
	for name, content := range map[string]string{"broken": "x", "other resources": file("secrets", "{identity: {}}")} {
		o := open(t, file("pods", "{identity: {}}"))
		o.write(content)
		if _, err := Open(Options{File: o.file, Resources: []Resource{pods}}); err == nil || !strings.Contains(err.Error(), o.file) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Open(Options{File: "/nowhere/at/all"}); err == nil || !strings.Contains(err.Error(), "encryption configuration: open /nowhere/at/all") {
		t.Error(err)
	}
}

func TestReloadIsForAllResources(t *testing.T) {
	k1, k2 := keysOf("aesgcm", "k1"), keysOf("aesgcm", "k2")
	o := open(t, file("*.*", k1))
	a, b := o.form(), o.Form(Target{Resource: Resource{"apps", "deployments"}})
	stored := mustStore(t, b, key, hello)
	o.reload(file("*.*", k2, k1))
	for _, form := range []struct{ got []byte }{{mustStore(t, a, key, hello)}, {mustStore(t, b, key, hello)}} {
		if !bytes.HasPrefix(form.got, []byte("k8s:enc:aesgcm:v1:k2:")) {
			t.Errorf("stored %.40q", form.got)
		}
	}
	if _, stale, err := b.Canonical(key, stored); err != nil || !stale {
		t.Errorf("stale %v, %v", stale, err)
	}
}

func TestReloadOff(t *testing.T) {
	o := open(t, file("pods", keysOf("aesgcm", "k1")), func(o *Options) { o.Reload = false })
	o.write(file("pods", keysOf("aesgcm", "k2")))
	time.Sleep(10 * quick)
	if stored := mustStore(t, o.form(), key, hello); !bytes.HasPrefix(stored, []byte("k8s:enc:aesgcm:v1:k1:")) {
		t.Errorf("stored %.40q", stored)
	}
}

// A plug-in that stays in the file keeps its connection and its seeds; one that leaves it is let
// go.
func TestReloadKeepsPlugins(t *testing.T) {
	plug, other := kmstest.Start(t), kmstest.Start(t)
	kept := kmsOf("plug", plug)
	o := open(t, file("pods", kept))
	form := o.form()
	stored := mustStore(t, form, key, hello)
	o.reload(file("pods", kept, "{identity: {}}"))
	plug.Stop()
	o.reload(file("pods", kept))
	if err := reads(form, stored); err != nil {
		t.Error(err)
	}
	if n := plug.Calls("Encrypt"); n != 1 {
		t.Errorf("%d seeds, want 1", n)
	}
	o.reload(file("pods", kmsOf("other", other), kept))
	if stored := mustStore(t, form, key, hello); !bytes.HasPrefix(stored, []byte("k8s:enc:kms:v2:other:")) {
		t.Errorf("stored %.40q", stored)
	}
	o.reload(file("pods", impatient(kmsOf("other", other)))) // for it is let go after twice its timeout
	gone := o.current.Load().plugins
	o.reload(file("pods", "{identity: {}}"))
	for _, p := range gone {
		eventually(t, "closed", func() bool { return p.ctx.Err() != nil })
	}
	if err := o.PluginHealth(t.Context()); err != nil {
		t.Error(err)
	}
}

// A new plug-in may come up after the file that names it.
func TestReloadWaitsForPlugin(t *testing.T) {
	plug, time := kmstest.Start(t), new(clock)
	plug.Stop()
	o := open(t, file("pods", "{identity: {}}"), time.set)
	o.write(kmsFile(plug))
	eventually(t, "refused", func() bool { return o.FileHealth(t.Context()) != nil })
	if err := plug.Resume(); err != nil {
		t.Fatal(err)
	}
	time.advance(retryEvery)
	o.wait()
	if stored := mustStore(t, o.form(), key, hello); !bytes.HasPrefix(stored, []byte("k8s:enc:kms:v2:plug:")) {
		t.Errorf("stored %.40q", stored)
	}
}
