package defaults

import (
	"encoding/json"
	"reflect"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane"
	clusterapps "github.com/typeplane/typeplane/examples/cluster/api/apps/v1"
	clusterautoscaling "github.com/typeplane/typeplane/examples/cluster/api/autoscaling/v2"
	clustercore "github.com/typeplane/typeplane/examples/cluster/api/core/v1"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/serializer"
)

// schemeOf has all kinds of a program.
func schemeOf(t *testing.T, program typeplane.Server) *runtime.Scheme {
	t.Helper()
	b := runtime.NewBuilder()
	for _, api := range program.APIs {
		if api.AddToScheme != nil {
			api.AddToScheme(b)
		}
	}
	scheme, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return scheme
}

// kind is one in a version, and what a server of ours makes of the text of an object.
type kind struct {
	schema.GroupVersionKind
	of     string // the program
	answer func(text []byte) ([]byte, error)
}

// kindsOf are all kinds of a scheme, in all versions.
func kindsOf(scheme *runtime.Scheme) (out []kind) {
	for _, group := range scheme.Groups() {
		for _, gv := range scheme.VersionsOf(group) {
			for _, k := range scheme.KindsOf(gv) {
				gvk := k.GroupVersionKind()
				out = append(out, kind{gvk, "kubernetes", func(text []byte) ([]byte, error) { return created(scheme, gvk, text) }})
			}
		}
	}
	return out
}

// cluster are kinds of examples/cluster. It is a program, of which others can import no more than
// functions for its types.
var cluster = []kind{
	inCluster(corev1.SchemeGroupVersion, clustercore.SetObjectDefaults_Pod),
	inCluster(corev1.SchemeGroupVersion, clustercore.SetObjectDefaults_ReplicationController),
	inCluster(corev1.SchemeGroupVersion, clustercore.SetObjectDefaults_PersistentVolume),
	inCluster(corev1.SchemeGroupVersion, clustercore.SetObjectDefaults_PersistentVolumeClaim),
	inCluster(appsv1.SchemeGroupVersion, clusterapps.SetObjectDefaults_Deployment),
	inCluster(autoscalingv2.SchemeGroupVersion, clusterautoscaling.SetObjectDefaults_HorizontalPodAutoscaler),
}

// message is what *T has to be.
type message[T any] interface {
	*T
	Marshal() ([]byte, error)
	Unmarshal(data []byte) error
}

func inCluster[T any, P message[T]](gv schema.GroupVersion, setDefaults func(P)) kind {
	gvk := gv.WithKind(reflect.TypeFor[T]().Name())
	return kind{gvk, "cluster", func(text []byte) ([]byte, error) {
		obj, read := P(new(T)), P(new(T))
		if err := json.Unmarshal(text, obj); err != nil {
			return nil, err
		}
		setDefaults(obj)
		stored, err := obj.Marshal()
		if err != nil {
			return nil, err
		}
		if err := read.Unmarshal(stored); err != nil {
			return nil, err
		}
		any(read).(runtime.Object).GetObjectKind().SetGroupVersionKind(gvk)
		return json.Marshal(read)
	}}
}

// created is what our server answers to a create.
func created(scheme *runtime.Scheme, gvk schema.GroupVersionKind, text []byte) ([]byte, error) {
	kind, err := scheme.Kind(gvk)
	if err != nil {
		return nil, err
	}
	storage, err := scheme.Kind(storageOf(gvk))
	if err != nil {
		return nil, err
	}
	decoded, err := serializer.DecodeBody(scheme, text, serializer.JSON, gvk)
	if err != nil {
		return nil, err
	}
	kind.Default(decoded.Object)
	obj, err := convert(kind, storage, decoded.Object)
	if err != nil {
		return nil, err
	}
	storage.Default(obj)
	stored, err := storage.AppendMessage(nil, obj)
	if err != nil {
		return nil, err
	}
	read := storage.New()
	if err := storage.Unmarshal(stored, read); err != nil {
		return nil, err
	}
	if obj, err = convert(storage, kind, read); err != nil {
		return nil, err
	}
	obj.GetObjectKind().SetGroupVersionKind(gvk)
	return kind.AppendJSON(nil, obj)
}

func convert(from, to *runtime.Kind, obj runtime.Object) (runtime.Object, error) {
	hub, err := from.ToHub(obj)
	if err != nil {
		return nil, err
	}
	return to.FromHub(hub)
}
