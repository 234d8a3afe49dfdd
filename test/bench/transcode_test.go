package main

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	clusterv1 "github.com/typeplane/typeplane/examples/cluster/api/core/v1"
	"github.com/typeplane/typeplane/runtime/wire"
	"github.com/typeplane/typeplane/test/bench/pods"
)

// turn is how many pods are made before the clock is looked at.
const turn = 20

// BenchmarkTranscode makes the JSON of a stored pod in the ways that there are. It is made of its
// bytes, or of the Go value that is decoded into fresh memory, or into that of the last one. What
// counts is the fastest twentieth of the turns, which is what a calm machine shows.
func BenchmarkTranscode(b *testing.B) {
	managed, err := owned(pods.Stored(0))
	if err != nil {
		b.Fatal(err)
	}
	value, err := (&seeder{managed: managed}).value("/ours", 4711, "0")
	if err != nil {
		b.Fatal(err)
	}
	message, err := wire.Message(value)
	if err != nil {
		b.Fatal(err)
	}
	recycled := clusterv1.Recycler_Pod()
	for _, way := range []struct {
		name   string
		append func(dst []byte) ([]byte, error)
	}{
		{"bytes", func(dst []byte) ([]byte, error) { return clusterv1.JSONTable_Pod.Append(dst, message, 0) }},
		{"value", func(dst []byte) ([]byte, error) {
			pod := new(corev1.Pod)
			if err := clusterv1.UnmarshalShared_Pod(message, pod); err != nil {
				return dst, err
			}
			return clusterv1.AppendJSON_Pod(dst, pod)
		}},
		{"recycled", func(dst []byte) ([]byte, error) {
			pod, err := recycled(message)
			if err != nil {
				return dst, err
			}
			return clusterv1.AppendJSON_Pod(dst, pod)
		}},
	} {
		b.Run(way.name, func(b *testing.B) {
			b.ReportAllocs()
			var dst []byte
			var turns []time.Duration
			for b.Loop() {
				start := time.Now()
				for range turn {
					if dst, err = way.append(dst[:0]); err != nil {
						b.Fatal(err)
					}
				}
				turns = append(turns, time.Since(start))
			}
			slices.Sort(turns)
			fast := float64(turns[len(turns)/20].Nanoseconds()) / turn
			b.ReportMetric(fast, "ns/pod")
			b.ReportMetric(float64(len(dst))/fast, "GB/s")
		})
	}
}
