package codebench

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	kjson "sigs.k8s.io/json"

	ours "github.com/typeplane/typeplane/runtime/json"
	"github.com/typeplane/typeplane/runtime/json/jsontest"
	"github.com/typeplane/typeplane/test/codebench/kinds"
)

var (
	podJSON        = jsontest.Functions[corev1.Pod]{Append: kinds.AppendJSON_Pod, Read: kinds.ReadJSON_Pod}
	deploymentJSON = jsontest.Functions[appsv1.Deployment]{Append: kinds.AppendJSON_Deployment, Read: kinds.ReadJSON_Deployment}
	nodeJSON       = jsontest.Functions[corev1.Node]{Append: kinds.AppendJSON_Node, Read: kinds.ReadJSON_Node}
	configMapJSON  = jsontest.Functions[corev1.ConfigMap]{Append: kinds.AppendJSON_ConfigMap, Read: kinds.ReadJSON_ConfigMap}
)

// TestJSON compares the generated JSON functions with encoding/json and sigs.k8s.io/json, on the
// fixtures and on random objects.
func TestJSON(t *testing.T) {
	jsonOnFixture(t, "core.v1.Pod", podJSON)
	jsonOnFixture(t, "apps.v1.Deployment", deploymentJSON)
	jsonOnFixture(t, "core.v1.Node", nodeJSON)
	jsonOnFixture(t, "core.v1.ConfigMap", configMapJSON)
}

func jsonOnFixture[T any](t *testing.T, kind string, f jsontest.Functions[T]) {
	data := fixture(t, kind, "json")
	f.Compare(t, data)
	obj := new(T)
	if err := json.Unmarshal(data, obj); err != nil {
		t.Fatal(err)
	}
	f.Written(t, obj)
	f.Run(t, 1, 20)
}

// "ours" appends to a buffer that is used again, as a server does. "sized" makes a slice of the
// right size each time. As "fresh" it begins with none, as json.Marshal does. The metric "times" is
// how often ours is done while the peer is done once; see pair.
func BenchmarkJSONEncode(b *testing.B) {
	encodeJSON(b, "core.v1.Pod", podJSON)
	encodeJSON(b, "apps.v1.Deployment", deploymentJSON)
	encodeJSON(b, "core.v1.Node", nodeJSON)
	encodeJSON(b, "core.v1.ConfigMap", configMapJSON)
}

func encodeJSON[T any](b *testing.B, kind string, f jsontest.Functions[T]) {
	obj := new(T)
	if err := json.Unmarshal(fixture(b, kind, "json"), obj); err != nil {
		b.Fatal(err)
	}
	size := len(f.Written(b, obj))
	peer := func() error {
		_, err := json.Marshal(obj)
		return err
	}
	var buffer []byte
	pair(b, kind+"/ours", peer, func() (err error) {
		buffer, err = f.Append(buffer[:0], obj)
		return err
	})
	pair(b, kind+"/sized", peer, func() error {
		_, err := f.Append(make([]byte, 0, size+size/8), obj)
		return err
	})
	pair(b, kind+"/fresh", peer, func() error {
		_, err := f.Append(nil, obj)
		return err
	})
}

// BenchmarkJSONDecode reads a fixture strictly, without white space, and indented as it is kept.
// "ours" copies strings, "shared" leaves them in the data.
func BenchmarkJSONDecode(b *testing.B) {
	decodeJSON(b, "core.v1.Pod", podJSON)
	decodeJSON(b, "apps.v1.Deployment", deploymentJSON)
	decodeJSON(b, "core.v1.Node", nodeJSON)
	decodeJSON(b, "core.v1.ConfigMap", configMapJSON)
}

func decodeJSON[T any](b *testing.B, kind string, f jsontest.Functions[T]) {
	indented := fixture(b, kind, "json")
	obj := new(T)
	if err := json.Unmarshal(indented, obj); err != nil {
		b.Fatal(err)
	}
	compact := f.Written(b, obj)
	for _, in := range []struct {
		form string
		data []byte
	}{{"compact", compact}, {"indented", indented}} {
		peer := func() error {
			strict, err := kjson.UnmarshalStrict(in.data, new(T))
			return errors.Join(append(strict, err)...)
		}
		read := func(r *ours.Reader) error {
			f.Read(r, new(T))
			return errors.Join(append(r.Strict(), r.Err())...)
		}
		pair(b, kind+"/"+in.form+"/ours", peer, func() error { return read(ours.NewReader(in.data)) })
		pair(b, kind+"/"+in.form+"/shared", peer, func() error { return read(ours.NewReader(in.data).Shared()) })
	}
}

// pair runs both sides in turn. A machine that does other work too makes some runs slow, of both;
// so the sides are compared by the run that a tenth of the runs were faster than. A run is as many
// calls as make reading the clock, which takes as long as writing a few fields, not count. ns/op is
// of both together.
func pair(b *testing.B, name string, peer, ours func() error) {
	b.Run(name, func(b *testing.B) {
		sides := [2]func() error{peer, ours}
		run := func(side, calls int) time.Duration {
			start := time.Now()
			for range calls {
				if err := sides[side](); err != nil {
					b.Fatal(err)
				}
			}
			return time.Since(start)
		}
		calls := 1 + int(20*time.Microsecond/(run(1, 20)/20))
		var times [2][]time.Duration
		for b.Loop() {
			for side := range sides {
				times[side] = append(times[side], run(side, calls))
			}
		}
		var tenth [2]float64
		for side := range sides {
			slices.Sort(times[side])
			tenth[side] = float64(times[side][len(times[side])/10].Nanoseconds()) / float64(calls)
		}
		b.ReportMetric(tenth[0], "peer-ns")
		b.ReportMetric(tenth[1], "ours-ns")
		b.ReportMetric(tenth[0]/tenth[1], "times")
		b.ReportMetric(testing.AllocsPerRun(5, func() { _ = peer() }), "peer-allocs")
		b.ReportMetric(testing.AllocsPerRun(5, func() { _ = ours() }), "ours-allocs")
	})
}
