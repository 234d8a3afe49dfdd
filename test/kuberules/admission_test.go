package kuberules

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"slices"
	"testing"

	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	scheduling "k8s.io/kubernetes/pkg/apis/scheduling/v1"
	"k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds"
	"k8s.io/kubernetes/plugin/pkg/admission/network/defaultingressclass"
	"k8s.io/kubernetes/plugin/pkg/admission/nodetaint"
	"k8s.io/kubernetes/plugin/pkg/admission/podtopologylabels"
	"k8s.io/kubernetes/plugin/pkg/admission/priority"
	"k8s.io/kubernetes/plugin/pkg/admission/runtimeclass"
	"k8s.io/kubernetes/plugin/pkg/admission/storage/persistentvolume/resize"
	"k8s.io/kubernetes/plugin/pkg/admission/storage/storageclass/setdefault"
	"k8s.io/kubernetes/plugin/pkg/admission/storage/storageobjectinuseprotection"

	"github.com/typeplane/typeplane/test/kuberules/documents"
)

// admitted are the resources that the plug-ins below have something to say about.
var admitted = []string{"pods", "nodes", "ingresses", "persistentvolumeclaims", "persistentvolumes"}

// TestAdmission compares writes as TestStrategies does, with the plug-ins of admission that a
// kube-apiserver has by default, and which say something of the kinds of a cluster. Both servers
// have the same classes and nodes.
func TestAdmission(t *testing.T) {
	s := start(t, program{kubernetesProgram.dir, "LimitRanger,ServiceAccount,ResourceQuota"})
	var objects []runtime.Object
	for _, doc := range world(t) {
		k := slices.IndexFunc(slices.Concat(kinds, kindsOfKubernetes), func(k kind) bool {
			return k.Kind == doc["kind"] && k.GroupVersion().String() == doc["apiVersion"]
		})
		made := s.must("POST", slices.Concat(kinds, kindsOfKubernetes)[k].path(""), doc)
		obj, _, err := scheme.Codecs.UniversalDeserializer().Decode(must(json.Marshal(made)), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, obj)
	}
	reasons := documents.Known(strategyDifferences)
	compareOn(t, s, slices.DeleteFunc(slices.Concat(kinds, kindsOfKubernetes), func(k kind) bool { return !slices.Contains(admitted, k.resource) }), plugins(t, objects), reasons)
}

// world are the objects that plug-ins look at.
func world(t *testing.T) (docs []map[string]any) {
	t.Helper()
	for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(readAll(t, "testdata/world/classes.yaml")), 4096); ; {
		doc := map[string]any{}
		err := decoder.Decode(&doc)
		if err == io.EOF {
			return docs
		}
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, doc)
	}
}

// plugins are those of a kube-apiserver that sees the objects.
func plugins(t *testing.T, objects []runtime.Object) admission.Interface {
	t.Helper()
	for _, class := range scheduling.SystemPriorityClasses() {
		objects = append(objects, &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: class.Name}, Value: class.Value})
	}
	client := fake.NewClientset(objects...)
	all := informers.NewSharedInformerFactory(client, 0)
	registry := admission.NewPlugins()
	for _, register := range []func(*admission.Plugins){
		nodetaint.Register, priority.Register, defaulttolerationseconds.Register, setdefault.Register, storageobjectinuseprotection.Register,
		resize.Register, runtimeclass.Register, defaultingressclass.Register, podtopologylabels.Register,
	} {
		register(registry)
	}
	names := []string{
		nodetaint.PluginName, priority.PluginName, defaulttolerationseconds.PluginName, setdefault.PluginName, storageobjectinuseprotection.PluginName,
		resize.PluginName, runtimeclass.PluginName, defaultingressclass.PluginName, podtopologylabels.PluginName,
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	config := must(admission.ReadAdmissionConfiguration(nil, "", nil))
	out, err := registry.NewFromPlugins(names, config, initializer.New(client, nil, all, nil, utilfeature.DefaultFeatureGate, nil, ctx.Done(), nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	all.Start(ctx.Done())
	all.WaitForCacheSync(ctx.Done())
	return out
}

// admit lets plug-ins change an object, and returns how they judge it when it is complete. old is
// nil for a new object.
func (c *writes) admit(ctx context.Context, obj, old runtime.Object, name, subresource string) (judge func() error, err error) {
	if c.plugins == nil {
		return func() error { return nil }, nil
	}
	operation, options := admission.Create, runtime.Object(&metav1.CreateOptions{})
	if old != nil {
		operation, options = admission.Update, &metav1.UpdateOptions{}
	}
	namespace := inNamespace
	if c.cluster {
		namespace = ""
	}
	attributes := admission.NewAttributesRecord(obj, old, c.GroupVersionKind, namespace, name, c.GroupVersion().WithResource(c.resource), subresource, operation, options, true, c.user)
	if c.plugins.Handles(operation) {
		if err := c.plugins.(admission.MutationInterface).Admit(ctx, attributes, nil); err != nil {
			return nil, err
		}
	}
	return func() error {
		if !c.plugins.Handles(operation) {
			return nil
		}
		return c.plugins.(admission.ValidationInterface).Validate(ctx, attributes, nil)
	}, nil
}
