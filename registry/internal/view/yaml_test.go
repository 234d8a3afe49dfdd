package view

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// TestYAML writes lists of random items, and of texts that YAML writes in many ways. The YAML must
// be read as the document that the JSON is.
func TestYAML(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		items := make([][]byte, r.IntN(4))
		for i := range items {
			items[i], _ = json.Marshal(map[string]any{"a": randomValue(r, 3), "metadata": map[string]any{"name": fmt.Sprint(i)}})
		}
		item := func(dst []byte, i int) ([]byte, error) { return append(dst, items[i]...), nil }
		for _, f := range []frame{
			{kind: schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "ThingList"}, meta: metav1.ListMeta{ResourceVersion: "7", Continue: "x"}, items: "items"},
			{kind: metav1.SchemeGroupVersion.WithKind("Table"), items: tableRows, columns: []metav1.TableColumnDefinition{NameColumn}},
		} {
			whole, parts := new(bytes.Buffer), new(bytes.Buffer)
			if err := inChunks(whole, func(out *chunks) error { return f.write(out, false, len(items), item) }); err != nil {
				t.Fatal(err)
			}
			if err := inChunks(parts, func(out *chunks) error { return f.writeYAML(out, len(items), item) }); err != nil {
				t.Fatal(err)
			}
			got, err := yaml.YAMLToJSON(parts.Bytes())
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, parts)
			}
			if diff := cmp.Diff(parsed(t, whole.Bytes()), parsed(t, got)); diff != "" {
				t.Fatalf("seed %d (-want +got)\n%s\n%s", seed, diff, parts)
			}
		}
	}
}

func parsed(t *testing.T, data []byte) (value any) {
	t.Helper()
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

func randomValue(r *rand.Rand, depth int) any {
	switch n := r.IntN(10); {
	case depth > 0 && n < 3:
		m := map[string]any{}
		for range r.IntN(4) {
			m[randomText(r)] = randomValue(r, depth-1)
		}
		return m
	case depth > 0 && n < 5:
		list := []any{}
		for range r.IntN(4) {
			list = append(list, randomValue(r, depth-1))
		}
		return list
	case n == 5:
		return r.IntN(1000)
	case n == 6:
		return nil
	case n == 7:
		return r.IntN(2) == 0
	}
	return randomText(r)
}

func randomText(r *rand.Rand) string {
	return []string{
		"", "a", "true", "0x1f", "- a", "a: b", " leading", "trailing ", "two\nlines", "two\nlines and a break\n", "\n\nempty lines\n\n\nwithin\n\n", "  indented\nfirst",
		"tab\there", "\"quoted\"", "it's", "# comment", "ümlaut", "\u2028", "a\\b", "|", ">", "%", "@", "`", strings.Repeat("long words and spaces ", 20), "line one\n  line two\n\tline three", "null", "~", "1e3", "2001-01-01",
	}[r.IntN(30)]
}
