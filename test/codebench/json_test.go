package codebench

import (
	"encoding/json"
	"testing"

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

// TestJSON compares the generated JSON functions with encoding/json and sigs.k8s.io/json, on the fixtures and on random
// objects.
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

// BenchmarkJSONEncode writes what a fixture holds. "ours" appends to a buffer that is used again, as a server does;
// "fresh" makes a new slice each time, as json.Marshal has to.
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
	run := func(side string, encode func() ([]byte, error)) {
		b.Run(kind+"/"+side, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(size))
			for b.Loop() {
				if _, err := encode(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("peer", func() ([]byte, error) { return json.Marshal(obj) })
	var buffer []byte
	run("ours", func() (_ []byte, err error) {
		buffer, err = f.Append(buffer[:0], obj)
		return buffer, err
	})
	run("fresh", func() ([]byte, error) { return f.Append(nil, obj) })
}

// BenchmarkJSONDecode reads a fixture, as it is and without white space, strictly. "ours" copies strings, "shared"
// leaves them in the data.
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
	for _, in := range []struct {
		form string
		data []byte
	}{{"compact", f.Written(b, obj)}, {"indented", indented}} {
		form, data := in.form, in.data
		run := func(side string, decode func() ([]error, error)) {
			b.Run(kind+"/"+form+"/"+side, func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(data)))
				for b.Loop() {
					if strict, err := decode(); err != nil || strict != nil {
						b.Fatal(err, strict)
					}
				}
			})
		}
		run("peer", func() ([]error, error) { return kjson.UnmarshalStrict(data, new(T)) })
		run("ours", func() ([]error, error) {
			r := ours.NewReader(data)
			f.Read(r, new(T))
			return r.Strict(), r.Err()
		})
		run("shared", func() ([]error, error) {
			r := ours.NewReader(data).Shared()
			f.Read(r, new(T))
			return r.Strict(), r.Err()
		})
	}
}
