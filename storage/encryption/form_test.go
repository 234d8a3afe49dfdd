package encryption

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/internal/kmstest"
	"github.com/typeplane/typeplane/storage"
)

const key = "/pods/ns/a"

var hello = []byte("hello, this is the plain value")

func mustStore(t testing.TB, form storage.Form, key string, value []byte) []byte {
	t.Helper()
	stored, err := form.Stored(key, value)
	if err != nil {
		t.Fatal(err)
	}
	return stored
}

// each runs a test for each provider, first in the file and with identity behind it. bound says
// that the format binds a value to its key.
func each(t *testing.T, run func(t *testing.T, o *opened, prefix string, bound bool)) {
	for _, tc := range []struct {
		provider string
		make     func(t *testing.T) string
		prefix   string
		bound    bool
	}{
		{"aesgcm", func(*testing.T) string { return keysOf("aesgcm", "k1") }, "k8s:enc:aesgcm:v1:k1:", true},
		{"aescbc", func(*testing.T) string { return keysOf("aescbc", "k1") }, "k8s:enc:aescbc:v1:k1:", false},
		{"secretbox", func(*testing.T) string { return keysOf("secretbox", "k1") }, "k8s:enc:secretbox:v1:k1:", false},
		{"kms", func(t *testing.T) string { return kmsOf("plug", kmstest.Start(t)) }, "k8s:enc:kms:v2:plug:", true},
	} {
		t.Run(tc.provider, func(t *testing.T) {
			run(t, open(t, file("pods", tc.make(t), "{identity: {}}")), tc.prefix, tc.bound)
		})
	}
}

func TestRoundTrip(t *testing.T) {
	each(t, func(t *testing.T, o *opened, prefix string, _ bool) {
		form := o.form()
		for n := range 70 { // over all paddings
			value := bytes.Repeat([]byte("x"), n)
			stored := mustStore(t, form, key, value)
			if !bytes.HasPrefix(stored, []byte(prefix)) || n > 3 && bytes.Contains(stored, value) {
				t.Fatalf("stored %q", stored)
			}
			if again := mustStore(t, form, key, value); bytes.Equal(again, stored) {
				t.Fatal("the same value twice is the same ciphertext")
			}
			before := bytes.Clone(stored)
			got, stale, err := form.Canonical(key, stored)
			if err != nil || stale || !bytes.Equal(got, value) {
				t.Fatalf("%d bytes: got %q, stale %v, %v", n, got, stale, err)
			}
			if !bytes.Equal(before, stored) {
				t.Fatal("Canonical has changed the stored value")
			}
		}
		got, stale, err := form.Canonical(key, []byte("plain"))
		if err != nil || !stale || string(got) != "plain" {
			t.Errorf("a plain value behind a provider: %q, stale %v, %v", got, stale, err)
		}
	})
}

// Whoever can write etcd must not be able to give one object the value of another, or half of one.
func TestBoundToItsKey(t *testing.T) {
	each(t, func(t *testing.T, o *opened, _ string, bound bool) {
		form := o.form()
		if !bound {
			form = o.Form(Target{Resource: pods, Root: "/registry", Owns: func(key string, value []byte) error {
				if string(value) != "I am "+key {
					return errors.New("it is of another object")
				}
				return nil
			}})
		}
		a, b := mustStore(t, form, "/pods/ns/a", []byte("I am /pods/ns/a")), mustStore(t, form, "/pods/ns/b", []byte("I am /pods/ns/b"))
		if _, _, err := form.Canonical("/pods/ns/a", a); err != nil {
			t.Fatal(err)
		}
		for key, stored := range map[string][]byte{"/pods/ns/a": b, "/pods/ns/b": a} {
			if value, _, err := form.Canonical(key, stored); err == nil {
				t.Errorf("%s reads %q", key, value)
			}
		}
		if bound {
			elsewhere := o.Form(Target{Resource: pods, Root: "/other"})
			if value, _, err := elsewhere.Canonical("/pods/ns/a", a); err == nil {
				t.Errorf("below another root: %q", value)
			}
		}
	})
}

func TestDamagedValues(t *testing.T) {
	each(t, func(t *testing.T, o *opened, prefix string, bound bool) {
		form := o.form()
		stored := mustStore(t, form, key, hello)
		for n := range len(stored) {
			cut := stored[:n]
			if value, _, err := form.Canonical(key, cut); err == nil && bytes.HasPrefix(cut, []byte(encryptedPrefix)) && !(prefix == aescbcPrefix+"k1:") {
				t.Fatalf("cut to %d bytes: %q", n, value)
			}
		}
		if prefix == aescbcPrefix+"k1:" {
			return // authenticates nothing; the page says so
		}
		for i := len(encryptedPrefix); i < len(stored); i++ {
			bad := bytes.Clone(stored)
			bad[i] ^= 1
			value, _, err := form.Canonical(key, bad)
			if err == nil && !bytes.Equal(value, hello) {
				t.Fatalf("byte %d flipped: %q", i, value)
			}
			if err == nil && !strings.HasPrefix(prefix, kmsPrefix) {
				t.Fatalf("byte %d flipped, and nobody noticed", i)
			}
		}
	})
}

func TestRotation(t *testing.T) {
	old, new, box, plain := keysOf("aesgcm", "old"), keysOf("aesgcm", "new"), keysOf("secretbox", "box"), "{identity: {}}"
	o := open(t, file("pods", plain))
	form := o.form()
	stored := map[string][]byte{"plain": mustStore(t, form, key, hello)}
	if !bytes.Equal(stored["plain"], hello) {
		t.Fatalf("identity stores %q", stored["plain"])
	}
	step := func(name, content string, stale ...string) {
		t.Helper()
		o.reload(content)
		stored[name] = mustStore(t, form, key, hello)
		for written, value := range stored {
			got, isStale, err := form.Canonical(key, value)
			want := false
			for _, s := range stale {
				want = want || s == written
			}
			if err != nil || isStale != want || !bytes.Equal(got, hello) {
				t.Errorf("%s: reads what %s wrote as %q, stale %v (want %v), %v", name, written, got, isStale, want, err)
			}
		}
	}
	step("old", file("pods", old, plain), "plain")
	step("old again", file("pods", old, new, plain), "plain")
	step("new", file("pods", new, old, plain), "plain", "old", "old again")
	step("box", file("pods", box, new, old, plain), "plain", "old", "old again", "new")
	// On the way back to plain values, identity comes first and must leave the others to those
	// behind it.
	step("plain again", file("pods", plain, box, new, old), "old", "old again", "new", "box")

	o.reload(file("pods", new))
	for written, want := range map[string]string{
		"old":   `decrypt the value of /pods/ns/a: it was encrypted by aesgcm with key "old", and the providers of pods in ` + o.file + " have no such key: add it behind the others",
		"plain": "decrypt the value of /pods/ns/a: it is not encrypted, and no provider of pods in " + o.file + " reads plain values: add identity: {} as the last one",
	} {
		if _, _, err := form.Canonical(key, stored[written]); err == nil || err.Error() != want {
			t.Errorf("%s\ngot  %v\nwant %s", written, err, want)
		}
	}
}

// Kubernetes allows two providers of a type with a key of the same name. AES-CBC takes the wrong
// key for the right one once in 256 times; the result is then no object.
func TestKeysOfTheSameName(t *testing.T) {
	first, second := keysOf("aescbc", "k"), keysOf("aescbc", "k")
	inner := storage.Form{
		Canonical: func(_ string, stored []byte) ([]byte, bool, error) {
			if !bytes.Equal(stored, hello) {
				return nil, false, errors.New("it is no object")
			}
			return stored, false, nil
		},
	}
	a, b := open(t, file("pods", first)), open(t, file("pods", second, first))
	target := Target{Resource: pods, Form: inner}
	for i := range 2000 {
		stored := mustStore(t, a.Form(target), key, hello)
		if value, stale, err := b.Form(target).Canonical(key, stored); err != nil || !stale || !bytes.Equal(value, hello) {
			t.Fatalf("after %d: %q, stale %v, %v", i, value, stale, err)
		}
	}
}

func TestWildcards(t *testing.T) {
	const head = "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n"
	rule := func(resource, key string) string {
		return "- resources: ['" + resource + "']\n  providers: [" + keysOf("aesgcm", key) + "]\n"
	}
	o := open(t, head+rule("events", "events")+rule("*.", "core")+rule("deployments.apps", "deploy")+rule("deployments.apps", "deploy2")+rule("*.apps", "apps")+rule("*.*", "all"))
	for _, tc := range []struct {
		group, name, key string
	}{
		{"", "events", "events"}, {"", "secrets", "core"}, {"apps", "deployments", "deploy"}, {"apps", "jobs", "apps"}, {"batch", "jobs", "all"},
	} {
		stored := mustStore(t, o.Form(Target{Resource: Resource{tc.group, tc.name}}), "/k", hello)
		if want := aesgcmPrefix + tc.key + ":"; !bytes.HasPrefix(stored, []byte(want)) {
			t.Errorf("%s.%s: %.40q, want %s", tc.name, tc.group, stored, want)
		}
	}
	none := open(t, head+rule("secrets", "k"))
	form := none.form()
	if stored := mustStore(t, form, key, hello); !bytes.Equal(stored, hello) {
		t.Errorf("a resource that no rule is about: %q", stored)
	}
	secrets := mustStore(t, none.Form(Target{Resource: Resource{"", "secrets"}}), key, hello)
	if value, _, err := form.Canonical(key, secrets); err == nil {
		t.Errorf("without a provider: %q", value)
	}
	if value, _, err := Plain(storage.Form{}).Canonical(key, secrets); err == nil || !strings.Contains(err.Error(), "no encryption configuration") {
		t.Errorf("without a configuration: %q, %v", value, err)
	}
}

// The errors of values that other programs wrote say what to do.
func TestUnreadable(t *testing.T) {
	form := open(t, file("pods", keysOf("aesgcm", "k"))).form()
	for stored, want := range map[string]string{
		"k8s:enc:kms:v1:plug:xxx":     "version 1 of the KMS API",
		"k8s:enc:kms:v2:plug:xxx":     `by kms with key "plug"`,
		"k8s:enc:rot13:v1:k:xxx":      `by rot13 with key "k"`,
		"k8s:enc:aesgcm:v1:other:xxx": `by aesgcm with key "other"`,
		"k8s:enc:aesgcm:v1:k:xxx":     "cut off",
		"k8s:enc:":                    "unknown way, or cut off",
		"":                            "it is not encrypted",
	} {
		if _, _, err := form.Canonical(key, []byte(stored)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", stored, err, want)
		}
	}
}

// No key and no plain value is in what people read.
func TestNothingLeaks(t *testing.T) {
	k := Key{Name: "name", Secret: []byte("TOPSECRET-TOPSECRET-TOPSECRET-32")}
	for _, s := range []string{fmt.Sprint(k), fmt.Sprintf("%v %+v %#v", k, k, k), fmt.Sprintf("%+v", Provider{Keys: []Key{k}}), describe([]Provider{{Type: "aesgcm", Keys: []Key{k}}})} {
		if strings.Contains(s, "TOPSECRET") || !strings.Contains(s, "name") {
			t.Error(s)
		}
	}
	text := file("pods", `{aesgcm: {keys: [{name: k, secret: TOPSECRET}]}}`) + "TOPSECRET"
	for n := range len(text) {
		if _, err := Parse("f", []byte(text[:n]), nil); err != nil && strings.Contains(err.Error(), "TOPSECRET") {
			t.Fatalf("cut to %d: %v", n, err)
		}
	}
}

func FuzzCanonical(f *testing.F) {
	gcm, cbc, box := keysOf("aesgcm", "k"), keysOf("aescbc", "k"), keysOf("secretbox", "k")
	plugin := kmstest.Start(f)
	o := open(f, file("pods", gcm, cbc, box, kmsOf("k", plugin), "{identity: {}}"))
	form := o.form()
	for _, first := range []string{gcm, cbc, box} {
		f.Add(mustStore(f, open(f, file("pods", first)).form(), key, hello))
	}
	f.Add(mustStore(f, open(f, file("pods", kmsOf("k", plugin))).form(), key, hello))
	f.Add([]byte("k8s:enc:kms:v2:k:\x0a\x01x\x12\x01x\x1a\x01x"))
	f.Fuzz(func(t *testing.T, stored []byte) {
		before := bytes.Clone(stored)
		value, _, err := form.Canonical(key, stored)
		if !bytes.Equal(before, stored) {
			t.Fatal("the stored value was changed")
		}
		if err == nil && bytes.HasPrefix(value, []byte(encryptedPrefix)) && bytes.Equal(value, stored) {
			t.Fatal("an encrypted value was taken for a plain one")
		}
	})
}
