package gadget

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/storage"
)

func form(t testing.TB) storage.Form {
	t.Helper()
	b := runtime.NewBuilder()
	API().AddToScheme(b)
	scheme, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	form, err := API().Resources[0].Form(scheme, registry.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return form
}

// What a server writes is JSON, and as it is when it is read again: nothing about it is stale.
func TestStoredFormSettles(t *testing.T) {
	form := form(t)
	for seed := range uint64(1000) {
		sent := randomGadget(rand.New(rand.NewPCG(seed, 1)))
		first, _, err := form.Canonical("k", sent)
		if err != nil {
			t.Fatalf("%d: %v in %s", seed, err, sent)
		}
		stored, err := form.Stored("k", first)
		if err != nil {
			t.Fatal(err)
		}
		again, stale, err := form.Canonical("k", stored)
		if err != nil || stale || !bytes.Equal(first, again) || !json.Valid(stored) {
			t.Fatalf("%d: %v, stale %v\nsent   %s\nstored %s\nfirst %q\nagain %q", seed, err, stale, sent, stored, first, again)
		}
	}
}

// Values of other versions, by other writers and with what is no more in the type, are read as
// well, and are stale.
func TestForeignForms(t *testing.T) {
	form := form(t)
	want, err := form.WriteValue("k", canonical(t, form, `{"kind":"Gadget","apiVersion":"gadgets.example.com/v1","metadata":{"name":"a"},"spec":{"color":"x","period":"60s"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if text := `{"kind":"Gadget","apiVersion":"gadgets.example.com/v1","metadata":{"name":"a"},"spec":{"color":"x","period":"60s"}}` + "\n"; string(want) != text {
		t.Errorf("stored as %s, want %s", want, text)
	}
	for name, text := range map[string]string{
		"other order":  `{"apiVersion":"gadgets.example.com/v1","kind":"Gadget","spec":{"period":"60s","color":"x"},"metadata":{"name":"a"}}`,
		"more in it":   `{"apiVersion":"gadgets.example.com/v1","kind":"Gadget","spec":{"period":"60s","color":"x","gone":{"a":1},"size":null},"metadata":{"name":"a","resourceVersion":"7"}}`,
		"indented":     "{\n \"apiVersion\":\"gadgets.example.com/v1\",\"kind\":\"Gadget\",\"spec\":{\"period\":\"60s\",\"color\":\"x\"},\"metadata\":{\"name\":\"a\"}}",
		"YAML":         "apiVersion: gadgets.example.com/v1\nkind: Gadget\nmetadata: {name: a}\nspec: {color: x, period: 60s}\n",
		"base64":       "eyJhcGlWZXJzaW9uIjoiZ2FkZ2V0cy5leGFtcGxlLmNvbS92MSIsImtpbmQiOiJHYWRnZXQiLCJtZXRhZGF0YSI6eyJuYW1lIjoiYSJ9LCJzcGVjIjp7ImNvbG9yIjoieCIsInBlcmlvZCI6IjYwcyJ9fQ==",
		"old version":  `{"apiVersion":"gadgets.example.com/v1beta1","kind":"Gadget","spec":{"period":"60s","color":"x"},"metadata":{"name":"a"}}`,
		"no namespace": `{"kind":"Gadget","apiVersion":"gadgets.example.com/v1","metadata":{"name":"a","namespace":""},"spec":{"color":"x","period":"60s"}}`,
	} {
		value, stale, err := form.Canonical("k", []byte(text))
		if err != nil || !stale {
			t.Errorf("%s: %v, stale %v", name, err, stale)
			continue
		}
		got, err := form.Stored("k", value)
		if wanted := string(want); name == "old version" {
			// What the Go value was made of is another document.
			if wanted = strings.Replace(wanted, "60s", "1m0s", 1); string(got) != wanted {
				t.Errorf("%s: %v\n%s, want %s", name, err, got, wanted)
			}
		} else if err != nil || string(got) != wanted {
			t.Errorf("%s: %v\n%s, want %s", name, err, got, wanted)
		}
	}
	for name, text := range map[string]string{
		"another kind": `{"kind":"Widget","apiVersion":"gadgets.example.com/v1","metadata":{"name":"a"}}`,
		"wrong type":   `{"kind":"Gadget","apiVersion":"gadgets.example.com/v1","metadata":{"name":"a"},"spec":[]}`,
		"half":         `{"kind":"Gadget","apiVersion":"gadgets.example.com/v1","metadata":{"name":"a"}`,
	} {
		if _, _, err := form.Canonical("k", []byte(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func canonical(t testing.TB, form storage.Form, text string) []byte {
	t.Helper()
	value, _, err := form.Canonical("k", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// randomGadget is JSON that a client may send: fields that are there or not, null, zero, unknown or
// twice, in any order.
func randomGadget(r *rand.Rand) []byte {
	one := func(texts ...string) string { return texts[r.IntN(len(texts))] }

	object := func(members map[string]func() string) string {
		var parts []string
		for name, value := range members {
			for range r.IntN(5) / 3 { // mostly once or not at all
				text := value()
				if r.IntN(12) == 0 && name != "delay" && name != "uptime" { // a Duration does not read null
					text = "null"
				}
				parts = append(parts, fmt.Sprintf("%q:%s", name, text))
			}
		}
		if isMap := members["a"] != nil || members["cpu"] != nil; !isMap && r.IntN(6) == 0 {
			parts = append(parts, `"unknown":{"a":[1,null]}`)
		}
		r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		return "{" + strings.Join(parts, one(",", " ,\n")) + "}"
	}
	list := func(item func() string) string {
		var items []string
		for range r.IntN(4) {
			items = append(items, item())
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	text := func() string { return one(`""`, `"x"`, `"<&>"`, `"ü\u2028"`) }
	texts := func() string { return list(text) }
	quantity := func() string { return one(`1`, `"1000m"`, `0`, `"1Gi"`, `1.5`) }
	duration := func() string { return one(`"60s"`, `"0s"`, `"1h30m"`, `"90m0s"`) }
	labels := func() string { return object(map[string]func() string{"a": text, "b": text}) }
	spec := func() string {
		return object(map[string]func() string{
			"color": text, "loud": func() string { return one("true", "false") }, "replicas": func() string { return one("0", "3") },
			"period": duration, "delay": duration, "memory": quantity,
			"limits": func() string { return object(map[string]func() string{"cpu": quantity, "memory": quantity}) },
			"port":   func() string { return one("80", `"http"`, "0") },
			"numbers": func() string {
				return object(map[string]func() string{
					"u8": func() string { return one("0", "255") }, "u64": func() string { return one("0", "18446744073709551615", "7") },
					"f32": func() string { return one("0", "0.1", "1e3", "-0.0") }, "f64": func() string { return one("0.0", "1e300", "1.0") },
				})
			},
			"headers": func() string { return object(map[string]func() string{"a": texts, "b": texts}) },
			"names":   texts,
			"grid":    func() string { return list(func() string { return list(func() string { return `{"x":1,"y":0}` }) }) },
			"parts": func() string {
				part := func() string {
					return object(map[string]func() string{"count": func() string { return one("0", "1", "7") }, "weight": quantity})
				}
				return object(map[string]func() string{"a": part, "b": part})
			},
			"steps": func() string {
				return list(func() string {
					return object(map[string]func() string{
						"name": text, "timeout": duration, "args": texts, "optional": func() string { return one("true", "false") },
					})
				})
			},
			"template": func() string {
				return object(map[string]func() string{"style": text, "metadata": func() string {
					return object(map[string]func() string{"labels": labels, "name": text})
				}})
			},
			"size": func() string { return one("0", "-5") },
			"any":  func() string { return one(`{}`, `{"b":null,"a":[{"c":1.50}]}`, `{"kind":"X"}`) },
			"tone": func() string { return one(`440`, `"440Hz"`, `"0.44kHz"`) },
		})
	}
	status := func() string {
		return object(map[string]func() string{"replicas": func() string { return one("0", "2") }, "uptime": duration, "conditions": func() string { return "[]" }})
	}
	rest := strings.TrimPrefix(object(map[string]func() string{"spec": spec, "status": status}), "{")
	if rest != "}" {
		rest = "," + rest
	}
	return []byte(`{"apiVersion":"gadgets.example.com/v1","kind":"Gadget","metadata":{"name":"a","labels":` + labels() + "}" + rest)
}
