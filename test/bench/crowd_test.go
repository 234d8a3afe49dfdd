package main

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/typeplane/typeplane/test/bench/pods"
)

// The write is found in a frame without decoding it, however many digits it has.
func TestRoundOf(t *testing.T) {
	for want, round := range map[int]string{7: "7", 12345: "12345"} {
		pod := pods.Stored(4711)
		pod.Annotations[pods.Round] = round
		raw, err := encode(pod, protobuf)
		if err != nil {
			t.Fatal(err)
		}
		frame, err := (&metav1.WatchEvent{Type: "MODIFIED", Object: runtime.RawExtension{Raw: raw}}).Marshal()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := roundOf(frame); err != nil || got != want {
			t.Errorf("round %d, %v; want %d", got, err, want)
		}
	}
	if _, err := roundOf([]byte("no round")); err == nil {
		t.Error("a frame without a round has one")
	}
}
