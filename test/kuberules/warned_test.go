package kuberules

import (
	"net/http"
	"testing"

	"k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apiserver/pkg/endpoints/deprecation"
	"k8s.io/client-go/kubernetes/scheme"
)

// warned are the texts of the warnings of an answer, as a document has them. It is the recorder of
// a kube-apiserver's strategies, too.
type warned map[string]any

// AddWarning notes what a kube-apiserver says.
func (w warned) AddWarning(_, text string) { w[text] = true }

// warnedAlways is what a kube-apiserver 1.37 says with each answer in a version.
func warnedAlways(k kind) warned {
	w := warned{}
	obj := must(scheme.Scheme.New(k.GroupVersionKind))
	obj.GetObjectKind().SetGroupVersionKind(k.GroupVersionKind)
	if deprecation.IsDeprecated(obj, 1, 37) {
		w.AddWarning("", deprecation.WarningMessage(obj))
	}
	return w
}

// warnedOf reads the warnings of our answer.
func warnedOf(t testing.TB, header http.Header) warned {
	t.Helper()
	all, errs := net.ParseWarningHeaders(header["Warning"])
	for _, err := range errs {
		t.Errorf("%q: %v", header["Warning"], err)
	}
	w := warned{}
	for _, one := range all {
		w[one.Text] = true
	}
	return w
}
