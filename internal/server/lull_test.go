package server

import "testing"

func BenchmarkLull(b *testing.B) {
	for b.Loop() {
		lulls.wait()
	}
}
