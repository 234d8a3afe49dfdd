// Package transcoded compares the JSON that tables make of bytes with that of encoding/json. The
// objects, and their protobuf, are those of the published k8s.io/api. This folder becomes a module of
// its own, which has the tables and a list of the kinds: see TestTranscoded in package dropin.
package transcoded

import (
	"fmt"
	"os"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/runtimetest"
	"github.com/typeplane/typeplane/runtime/transcode"
)

// TestKinds goes on for as long as TRANSCODE says.
func TestKinds(t *testing.T) {
	long, err := time.ParseDuration(os.Getenv("TRANSCODE"))
	if err != nil {
		t.Fatal(err)
	}
	scheme := scheme(t)
	rounds, start := 0, time.Now()
	for ; (rounds == 0 || time.Since(start) < long) && !t.Failed(); rounds++ {
		runtimetest.RunTranscoded(t, scheme, runtimetest.Options{Rounds: 30, Seed: start.UnixNano() + int64(rounds)})
	}
	fmt.Printf("%d rounds of 30 objects of each of %d kinds, each with damaged copies\n", rounds, len(kinds))
}

// scheme has all kinds, with nothing of ours but their tables.
func scheme(t *testing.T) *runtime.Scheme {
	b := runtime.NewBuilder()
	for _, add := range kinds {
		add(b)
	}
	scheme, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return scheme
}

// object is what a pointer to a kind is.
type object[T any] interface {
	*T
	runtime.Object
}

// kind is a kind by its name, with its table. Each version has a group and a hub of its own.
func kind[T any, P object[T]](group, version, name string, table *transcode.Message) func(*runtime.Builder) {
	return func(b *runtime.Builder) {
		gvk := schema.GroupVersionKind{Group: version + "." + group, Version: version, Kind: name}
		made := func() P { return new(T) }
		runtime.AddVersion(runtime.AddHub(b, gvk.GroupKind(), made), runtime.Version[P, P]{
			GroupVersion: gvk.GroupVersion(),
			New:          made,
			NewList:      func() apiruntime.Object { return new(metav1.List) },
			JSONTable:    table,
		})
	}
}
