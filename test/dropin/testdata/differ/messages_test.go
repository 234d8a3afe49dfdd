// Package differ compares generated messages with the published ones: every damaged input is accepted by both or by
// neither, and means the same to both. This folder becomes a module of its own, see differential in package dropin.
package differ

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	theiradmission "k8s.io/api/admission/v1"
	theirapps "k8s.io/api/apps/v1"
	theirauthentication "k8s.io/api/authentication/v1"
	theirautoscaling "k8s.io/api/autoscaling/v2"
	theircertificates "k8s.io/api/certificates/v1"
	theircore "k8s.io/api/core/v1"
	theirnetworking "k8s.io/api/networking/v1"
	theirpolicy "k8s.io/api/policy/v1"
	theirresource "k8s.io/api/resource/v1"

	ouradmission "generated.example/api/admission/v1"
	ourapps "generated.example/api/apps/v1"
	ourauthentication "generated.example/api/authentication/v1"
	ourautoscaling "generated.example/api/autoscaling/v2"
	ourcertificates "generated.example/api/certificates/v1"
	ourcore "generated.example/api/core/v1"
	ournetworking "generated.example/api/networking/v1"
	ourpolicy "generated.example/api/policy/v1"
	ourresource "generated.example/api/resource/v1"
)

// message is what generated types can do.
type message interface {
	Reset()
	Marshal() ([]byte, error)
	MarshalTo([]byte) (int, error)
	MarshalToSizedBuffer([]byte) (int, error)
	Size() int
	String() string
	Unmarshal([]byte) error
}

// pair is one kind, twice, with the name of its fixture.
type pair struct {
	fixture      string
	theirs, ours message
}

var pairs = []pair{
	{"core.v1.Pod", &theircore.Pod{}, &ourcore.Pod{}},
	{"core.v1.ConfigMap", &theircore.ConfigMap{}, &ourcore.ConfigMap{}},
	{"core.v1.Secret", &theircore.Secret{}, &ourcore.Secret{}},
	{"core.v1.Node", &theircore.Node{}, &ourcore.Node{}},
	{"core.v1.Service", &theircore.Service{}, &ourcore.Service{}},
	{"apps.v1.Deployment", &theirapps.Deployment{}, &ourapps.Deployment{}},
	{"apps.v1.StatefulSet", &theirapps.StatefulSet{}, &ourapps.StatefulSet{}},
	{"autoscaling.v2.HorizontalPodAutoscaler", &theirautoscaling.HorizontalPodAutoscaler{}, &ourautoscaling.HorizontalPodAutoscaler{}},
	{"certificates.k8s.io.v1.CertificateSigningRequest", &theircertificates.CertificateSigningRequest{}, &ourcertificates.CertificateSigningRequest{}},
	{"authentication.k8s.io.v1.TokenReview", &theirauthentication.TokenReview{}, &ourauthentication.TokenReview{}},
	{"admission.k8s.io.v1.AdmissionReview", &theiradmission.AdmissionReview{}, &ouradmission.AdmissionReview{}},
	{"policy.v1.PodDisruptionBudget", &theirpolicy.PodDisruptionBudget{}, &ourpolicy.PodDisruptionBudget{}},
	{"networking.k8s.io.v1.Ingress", &theirnetworking.Ingress{}, &ournetworking.Ingress{}},
	{"resource.k8s.io.v1.ResourceSlice", &theirresource.ResourceSlice{}, &ourresource.ResourceSlice{}},
}

// fixture returns the message of a fixture of k8s.io/api without its envelope: "k8s\0", then runtime.Unknown, whose
// field 2 is the message.
func fixture(t testing.TB, name string) []byte {
	data, err := os.ReadFile(filepath.Join(os.Getenv("FIXTURES"), name+".pb"))
	if err != nil {
		t.Fatal(err)
	}
	for data = data[4:]; len(data) > 0; {
		size, n := binary.Uvarint(data[1:])
		body := data[1+n:][:size]
		if data[0] == 2<<3|2 {
			return body
		}
		data = data[1+n+int(size):]
	}
	t.Fatalf("%s has no message", name)
	return nil
}

// typicalPod is a pod as a cluster has many of: most fields are not set.
func typicalPod(t testing.TB) []byte {
	data, err := os.ReadFile("pod.json")
	if err != nil {
		t.Fatal(err)
	}
	var pod theircore.Pod
	if err := json.Unmarshal(data, &pod); err != nil {
		t.Fatal(err)
	}
	out, err := pod.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// podList is a list of so many of them.
func podList(pod []byte, n int) []byte {
	data := []byte{1<<3 | 2, 0}
	for range n {
		data = binary.AppendUvarint(append(data, 2<<3|2), uint64(len(pod)))
		data = append(data, pod...)
	}
	return data
}
