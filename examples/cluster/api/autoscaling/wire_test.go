package autoscaling_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/randfill"

	peer1 "k8s.io/api/autoscaling/v1"
	peer2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/typeplane/typeplane/examples/cluster/api/autoscaling/v1"
	v2 "github.com/typeplane/typeplane/examples/cluster/api/autoscaling/v2"
)

type message interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

// TestWire compares the bytes of both versions with those of Kubernetes' own types, which kubectl
// sends.
func TestWire(t *testing.T) {
	for _, tc := range []struct{ ours, peer message }{
		{new(v1.HorizontalPodAutoscaler), new(peer1.HorizontalPodAutoscaler)},
		{new(v1.HorizontalPodAutoscalerList), new(peer1.HorizontalPodAutoscalerList)},
		{new(v2.HorizontalPodAutoscaler), new(peer2.HorizontalPodAutoscaler)},
		{new(v2.HorizontalPodAutoscalerList), new(peer2.HorizontalPodAutoscalerList)},
	} {
		t.Run(fmt.Sprintf("%T", tc.ours), func(t *testing.T) {
			filler := randfill.NewWithSeed(1).NilChance(0.2).NumElements(1, 3).Funcs(
				func(*metav1.TypeMeta, randfill.Continue) {}, // not part of the message
				func(q *resource.Quantity, c randfill.Continue) { *q = resource.MustParse(fmt.Sprint(c.Int31(), "m")) },
				func(at *metav1.Time, c randfill.Continue) { *at = metav1.Unix(c.Int63n(1<<32), 0) },
				func(at *metav1.MicroTime, c randfill.Continue) {
					*at = metav1.NewMicroTime(time.Unix(c.Int63n(1<<32), 0))
				},
				func(f *metav1.FieldsV1, c randfill.Continue) { f.SetRawBytes([]byte(`{"f:spec":{}}`)) },
			)
			for range 200 {
				peer, ours := fresh(tc.peer), fresh(tc.ours)
				filler.Fill(peer)
				if !assign(t, peer, ours) {
					return
				}
				want, err := peer.Marshal()
				if err != nil {
					t.Fatal(err)
				}
				if got, err := ours.Marshal(); err != nil || string(got) != string(want) {
					t.Fatalf("%v\ngot  %q\nwant %q", err, got, want)
				}
				back := fresh(tc.ours)
				if err := back.Unmarshal(want); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(asJSON(t, ours), asJSON(t, back)); diff != "" {
					t.Fatalf("decoded from the peer's bytes (-sent +received):\n%s", diff)
				}
			}
		})
	}
}

// assign gives one type's value to the other's, by JSON, and checks that this loses nothing.
func assign(t *testing.T, from, to any) bool {
	t.Helper()
	text := asJSON(t, from)
	if err := json.Unmarshal([]byte(text), to); err != nil {
		t.Fatal(err)
	}
	diff := cmp.Diff(text, asJSON(t, to))
	if diff != "" {
		t.Errorf("the JSON of both types differs (-peer +ours):\n%s", diff)
	}
	return diff == ""
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func fresh[T any](v T) T { return reflect.New(reflect.TypeOf(v).Elem()).Interface().(T) }
