package v1

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestDefaultsOfNamespaces(t *testing.T) {
	ns := new(corev1.Namespace)
	if SetObjectDefaults_Namespace(ns); ns.Labels != nil || ns.Status.Phase != corev1.NamespaceActive {
		t.Errorf("without a name: %+v", ns)
	}
	ns.Name = "n"
	if SetObjectDefaults_Namespace(ns); ns.Labels[corev1.LabelMetadataName] != "n" {
		t.Errorf("%+v", ns)
	}
}
