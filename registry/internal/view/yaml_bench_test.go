package view

import (
	"encoding/json"
	"fmt"
	"io"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// BenchmarkListYAML writes a list of 1,000 objects as YAML, and as JSON for comparison.
func BenchmarkListYAML(b *testing.B) {
	item, _ := json.Marshal(map[string]any{
		"metadata": map[string]any{"name": "n-000001", "namespace": "default", "uid": "3f2b6d1e-0a7c-4a41-8d4e-1b2c3d4e5f60", "resourceVersion": "12345", "creationTimestamp": "2026-11-28T10:00:00Z", "labels": map[string]string{"app": "shop"}},
		"data":     map[string]string{"key": "value", "note": "two\nlines\n"},
	})
	f := frame{kind: schema.GroupVersionKind{Version: "v1", Kind: "ConfigMapList"}, meta: metav1.ListMeta{ResourceVersion: "7"}, items: "items"}
	for name, write := range map[string]func(*chunks, int, func([]byte, int) ([]byte, error)) error{
		"YAML": f.writeYAML,
		"JSON": func(out *chunks, n int, item func([]byte, int) ([]byte, error)) error {
			return f.write(out, false, n, item)
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := inChunks(io.Discard, func(out *chunks) error {
					return write(out, 1000, func(dst []byte, _ int) ([]byte, error) { return append(dst, item...), nil })
				}); err != nil {
					b.Fatal(fmt.Sprint(err))
				}
			}
		})
	}
}
