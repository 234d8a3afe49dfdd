package encryption

import (
	"bytes"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/kmstest"
	"github.com/typeplane/typeplane/storage"
)

// clock is time.Now, moved.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time               { return time.Now().Add(time.Duration(c.ahead.Load())) }
func (c *clock) advance(d time.Duration)      { c.ahead.Add(int64(d)) }
func (c *clock) set(o *Options)               { o.now = c.now }
func kmsFile(p *kmstest.Plugin) string        { return file("pods", kmsOf("plug", p)) }
func reads(form storage.Form, b []byte) error { _, _, err := form.Canonical(key, b); return err }

// The plug-in is asked once for a seed, not once for a value.
func TestKMSCalls(t *testing.T) {
	plug := kmstest.Start(t)
	first := open(t, kmsFile(plug)).form()
	var stored [][]byte
	for range 100 {
		stored = append(stored, mustStore(t, first, key, hello))
	}
	second := open(t, kmsFile(plug)).form()
	for _, form := range []storage.Form{first, second} {
		for _, s := range stored {
			value, stale, err := form.Canonical(key, s)
			if err != nil || stale || !bytes.Equal(value, hello) {
				t.Fatalf("%q, stale %v, %v", value, stale, err)
			}
		}
	}
	if e, d := plug.Calls("Encrypt"), plug.Calls("Decrypt"); e != 2 || d != 1 {
		t.Errorf("%d calls of Encrypt and %d of Decrypt for two servers, want 2 and 1", e, d)
	}
}

func TestKMSKeyRotation(t *testing.T) {
	plug := kmstest.Start(t)
	o := open(t, kmsFile(plug))
	form := o.form()
	old := mustStore(t, form, key, hello)
	plug.Use("2")
	eventually(t, "encrypted with the new key", func() bool {
		e, err := parseEnvelope(bytes.TrimPrefix(mustStore(t, form, key, hello), []byte("k8s:enc:kms:v2:plug:")))
		return err == nil && e.keyID == "2"
	})
	if value, stale, err := form.Canonical(key, old); err != nil || !stale || !bytes.Equal(value, hello) {
		t.Errorf("what the old key encrypted: %q, stale %v, %v", value, stale, err)
	}
	if _, stale, err := form.Canonical(key, mustStore(t, form, key, hello)); err != nil || stale {
		t.Errorf("what the new key encrypted: stale %v, %v", stale, err)
	}
}

func TestKMSDown(t *testing.T) {
	plug, time := kmstest.Start(t), new(clock)
	o := open(t, kmsFile(plug), time.set)
	form := o.form()
	stored := mustStore(t, form, key, hello)
	if err := o.PluginHealth(t.Context()); err != nil {
		t.Error(err)
	}
	plug.Stop()
	eventually(t, "unhealthy", func() bool { return o.PluginHealth(t.Context()) != nil })
	if err := o.PluginHealth(t.Context()); !strings.Contains(err.Error(), `KMS plug-in "plug" at unix://`) {
		t.Error(err)
	}
	mustStore(t, form, key, hello) // for a while
	time.advance(confirmedFor)
	_, err := form.Stored(key, hello)
	if err == nil || !strings.Contains(err.Error(), "encrypt the value of /pods/ns/a: the KMS plug-in has not confirmed its key for 3m") || !strings.Contains(err.Error(), `KMS plug-in "plug"`) {
		t.Errorf("a write: %v", err)
	}
	time.advance(1000 * confirmedFor)
	if err := reads(form, stored); err != nil {
		t.Errorf("a read of what is known: %v", err)
	}
	if err := plug.Resume(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "healthy", func() bool { return o.PluginHealth(t.Context()) == nil })
	mustStore(t, form, key, hello)
	if n := strings.Count(o.log.String(), "does not work"); n != 1 {
		t.Errorf("%d lines in the log, want 1:\n%s", n, o.log)
	}
}

// A server starts without its plug-in, says so, and reads again when the plug-in is there.
func TestKMSDownAtTheStart(t *testing.T) {
	plug := kmstest.Start(t)
	stored := mustStore(t, open(t, kmsFile(plug)).form(), key, hello)
	plug.Stop()
	o := open(t, kmsFile(plug))
	form := o.form()
	if err := reads(form, stored); err == nil || !strings.Contains(err.Error(), `KMS plug-in "plug"`) {
		t.Errorf("read: %v", err)
	}
	if _, err := form.Stored(key, hello); err == nil || !strings.Contains(err.Error(), "nothing can be written before the KMS plug-in answers") {
		t.Errorf("write: %v", err)
	}
	if o.PluginHealth(t.Context()) == nil {
		t.Error("healthy")
	}
	if err := plug.Resume(); err != nil {
		t.Fatal(err)
	}
	o.wait()
	if err := reads(form, stored); err != nil {
		t.Error(err)
	}
	mustStore(t, form, key, hello)
}

// A list of many values must not wait for a plug-in that hangs once for each.
func TestKMSFrozen(t *testing.T) {
	plug := kmstest.Start(t)
	var stored [][]byte
	for range 20 { // of different seeds
		stored = append(stored, mustStore(t, open(t, kmsFile(plug)).form(), key, hello))
	}
	o := open(t, impatient(kmsFile(plug)))
	form := o.form()
	before := plug.Calls("Decrypt")
	plug.Freeze()
	for _, s := range stored {
		if err := reads(form, s); err == nil {
			t.Fatal("read without the plug-in")
		}
	}
	// Calls, not time: each takes its timeout.
	if n := plug.Calls("Decrypt") - before; n > len(stored)/2 {
		t.Errorf("%d calls for %d values", n, len(stored))
	}
	plug.Stop()
	if err := plug.Resume(); err != nil {
		t.Fatal(err)
	}
	o.wait()
	eventually(t, "readable", func() bool { return reads(form, stored[0]) == nil })
}

// A plug-in may be well and refuse one key anyway. It is tried again, less and less often.
func TestKMSRefuses(t *testing.T) {
	plug, time := kmstest.Start(t), new(clock)
	stored := mustStore(t, open(t, kmsFile(plug)).form(), key, hello)
	plug.Use("2")
	plug.Refuse("1", true)
	o := open(t, kmsFile(plug), time.set)
	form := o.form()
	for range 5 {
		if err := reads(form, stored); err == nil || !strings.Contains(err.Error(), "the key is disabled") {
			t.Fatalf("got %v", err)
		}
		o.wait()
		time.advance(maxPause)
	}
	if err := o.PluginHealth(t.Context()); err != nil {
		t.Error(err)
	}
	plug.Refuse("1", false)
	if err := reads(form, stored); err != nil {
		t.Error(err)
	}
}

func TestKMSUnwell(t *testing.T) {
	plug := kmstest.Start(t)
	o := open(t, kmsFile(plug))
	for _, tc := range []struct{ healthz, version, want string }{
		{"the HSM is on fire", "v2", `is not healthy: it says "the HSM is on fire"`},
		{"ok", "v3", `speaks version "v3" of the KMS API, want v2`},
	} {
		plug.Healthy(tc.healthz, tc.version)
		eventually(t, tc.want, func() bool { return strings.Contains(fmt.Sprint(o.PluginHealth(t.Context())), tc.want) })
	}
	plug.Healthy("ok", "v2")
	plug.Use("")
	eventually(t, "an empty key id", func() bool {
		return strings.Contains(fmt.Sprint(o.PluginHealth(t.Context())), "Status: a key id of 0 bytes, want 1 to 1024")
	})
}

func TestEnvelope(t *testing.T) {
	good := envelope{data: []byte("data"), keyID: "id", source: []byte("source"), annotations: map[string][]byte{"b.example": []byte("2"), "a.example": nil}, kind: sourceSeed}
	b := good.append(nil)
	got, err := parseEnvelope(append(b, 0x32, 0x01, 'x')) // with a field of the future
	if err != nil || got.identity() != good.identity() || string(got.data) != "data" || got.kind != sourceSeed {
		t.Errorf("%+v, %v", got, err)
	}
	for want, change := range map[string]func(*envelope){
		"no EncryptedObject":      func(e *envelope) { e.data = nil },
		"key id of 0 bytes":       func(e *envelope) { e.keyID = "" },
		"key id of 1025 bytes":    func(e *envelope) { e.keyID = strings.Repeat("x", 1025) },
		"seed of 0 bytes":         func(e *envelope) { e.source = nil },
		"seed of 1025 bytes":      func(e *envelope) { e.source = make([]byte, 1025) },
		`"nodot" is no domain`:    func(e *envelope) { e.annotations = map[string][]byte{"nodot": nil} },
		`"a..b" is no domain`:     func(e *envelope) { e.annotations = map[string][]byte{"a..b": nil} },
		"annotations of 33":       func(e *envelope) { e.annotations = map[string][]byte{"a.b": make([]byte, 33<<10)} },
		"source of the unknown k": func(e *envelope) { e.kind = 2 },
	} {
		e := good
		change(&e)
		if _, err := parseEnvelope(e.append(nil)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := (&envelope{kind: sourceSeed, data: make([]byte, 100)}).openWith([]byte("short"), key); err == nil || !strings.Contains(err.Error(), "a seed of 5 bytes") {
		t.Error(err)
	}
}

func FuzzEnvelope(f *testing.F) {
	e := envelope{data: []byte("data"), keyID: "id", source: []byte("source"), annotations: map[string][]byte{"a.example": []byte("1")}, kind: sourceSeed}
	f.Add(e.append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := parseEnvelope(b)
		if err != nil {
			return
		}
		again, err := parseEnvelope(e.append(nil))
		if err != nil || again.identity() != e.identity() || !bytes.Equal(again.data, e.data) {
			t.Fatalf("%+v becomes %+v, %v", e, again, err)
		}
	})
}
