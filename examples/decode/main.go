// Command decode reads the stored bytes of a pod from standard input, and prints them as JSON.
// They come from etcd:
//
//	etcdctl get --print-value-only /registry/pods/NAMESPACE/NAME | head -c -1 | decode
//
// It shows that stored objects need no server to be read: a Scheme and a codec are enough. The
// command head cuts off the newline that etcdctl puts behind the value.
package main

import (
	"io"
	"log"
	"os"

	corev1 "k8s.io/api/core/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/serializer"
)

func main() {
	b := runtime.NewBuilder()
	pod := runtime.AddHub(b, schema.GroupKind{Kind: "Pod"}, func() *corev1.Pod { return new(corev1.Pod) })
	runtime.AddVersion(pod, runtime.Version[*corev1.Pod, *corev1.Pod]{
		GroupVersion: corev1.SchemeGroupVersion,
		New:          func() *corev1.Pod { return new(corev1.Pod) },
		NewList:      func() apiruntime.Object { return new(corev1.PodList) },
	})
	scheme, err := b.Build()
	check(err)
	stored, err := io.ReadAll(os.Stdin)
	check(err)
	decoded, err := serializer.Decode(scheme, stored, serializer.FormOf(stored), schema.GroupVersionKind{})
	check(err)
	check(serializer.Encode(os.Stdout, decoded.Object, serializer.JSON, true))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
