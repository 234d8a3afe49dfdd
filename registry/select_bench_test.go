package registry_test

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// BenchmarkLongSelector compares 1,000 requirements with each of 1,000 entries.
func BenchmarkLongSelector(b *testing.B) {
	const n = 1000
	served, _ := benchServer(b, n)
	for _, format := range []string{"a!=q%d", "a%d!=q"} {
		var parts []string
		for i := range 1000 {
			parts = append(parts, fmt.Sprintf(format, i))
		}
		opts := metav1.ListOptions{LabelSelector: strings.Join(parts, ",") + ",app=none"}
		b.Run(format, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := served[0].List.List(ctx, "ns", opts); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
