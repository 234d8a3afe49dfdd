package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane"
	serverprogram "github.com/typeplane/typeplane/internal/program"
)

// apiService is what the tests look at of an APIService.
type apiService struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Group                string `json:"group"`
		Version              string `json:"version"`
		GroupPriorityMinimum int    `json:"groupPriorityMinimum"`
		VersionPriority      int    `json:"versionPriority"`
		Service              struct {
			Name, Namespace string
			Port            int32
		} `json:"service"`
	} `json:"spec"`
}

// TestManifests reads the manifests as a cluster would, and looks whether they fit together and to
// the program.
func TestManifests(t *testing.T) {
	var list struct{ Resources []string }
	data, err := os.ReadFile("deploy/kustomization.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("deploy/*.yaml")
	if err != nil || len(files) != len(list.Resources)+1 {
		t.Errorf("%v are not %v", files, list.Resources)
	}
	var service corev1.Service
	manifest(t, "service.yaml", &service)
	var deployment appsv1.Deployment
	manifest(t, "deployment.yaml", &deployment)
	manifest(t, "rbac.yaml", &corev1.ServiceAccount{}, &rbacv1.ClusterRoleBinding{}, &rbacv1.ClusterRole{}, &rbacv1.ClusterRoleBinding{}, &rbacv1.RoleBinding{})
	manifest(t, "namespace.yaml", &corev1.Namespace{})

	pod := deployment.Spec.Template
	if !selects(service.Spec.Selector, pod.Labels) || !selects(deployment.Spec.Selector.MatchLabels, pod.Labels) {
		t.Errorf("selectors miss the labels %v", pod.Labels)
	}
	container := pod.Spec.Containers[0]
	if container.Ports[0].Name != service.Spec.Ports[0].TargetPort.StrVal {
		t.Errorf("the service sends to port %v", service.Spec.Ports[0].TargetPort)
	}
	for _, p := range []*corev1.Probe{container.LivenessProbe, container.ReadinessProbe, container.StartupProbe} {
		if p.HTTPGet.Scheme != corev1.URISchemeHTTPS || p.HTTPGet.Port.StrVal != container.Ports[0].Name {
			t.Errorf("probe %v", p.HTTPGet)
		}
	}
	o := parseFlags(t, container.Args)
	if o.Serving.SecurePort != int(container.Ports[0].ContainerPort) {
		t.Errorf("it listens on %d, not on %d", o.Serving.SecurePort, container.Ports[0].ContainerPort)
	}

	var routed []schema.GroupVersion
	versions := []any{&apiService{}, &apiService{}}
	manifest(t, "apiservice.yaml", versions...)
	for _, v := range versions {
		s := v.(*apiService)
		routed = append(routed, schema.GroupVersion{Group: s.Spec.Group, Version: s.Spec.Version})
		if s.Name != s.Spec.Version+"."+s.Spec.Group || s.Spec.Service.Name != service.Name || s.Spec.Service.Namespace != service.Namespace || s.Spec.Service.Port != service.Spec.Ports[0].Port {
			t.Errorf("%s: %+v", s.Name, s.Spec)
		}
	}
	if want := scheme(t).VersionsOf("library.example.com"); !slices.Equal(routed, want) {
		t.Errorf("%v are routed, not %v", routed, want)
	}
	if best, next := versions[0].(*apiService), versions[1].(*apiService); best.Spec.VersionPriority <= next.Spec.VersionPriority {
		t.Errorf("%s is preferred", next.Name)
	}
}

// TestAggregatedPage: the flags of docs/aggregated.md are those of the Deployment, and there are
// such flags.
func TestAggregatedPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/aggregated.md")
	if err != nil {
		t.Fatal(err)
	}
	_, flags, _ := strings.Cut(string(page), "```\n--")
	flags, _, found := strings.Cut("--"+flags, "\n```")
	if !found {
		t.Fatal("the page shows no flags")
	}
	var deployment appsv1.Deployment
	manifest(t, "deployment.yaml", &deployment)
	for _, flag := range strings.Split(flags, "\n") {
		if !slices.Contains(deployment.Spec.Template.Spec.Containers[0].Args, flag) {
			t.Errorf("%s is not in deployment.yaml", flag)
		}
	}
	known, _ := serverprogram.NewFlags(program())
	for _, word := range strings.FieldsFunc(string(page), func(r rune) bool { return strings.ContainsRune(" \n`,.;()=", r) }) {
		if name, ok := strings.CutPrefix(word, "--"); ok && known.Lookup(name) == nil {
			t.Errorf("the page names %s, and there is no such flag", word)
		}
	}
	for _, file := range []string{"namespace", "rbac", "service", "deployment", "apiservice", "kustomization"} {
		if !strings.Contains(string(page), "`"+file+".yaml`") {
			t.Errorf("the page says nothing of %s.yaml", file)
		}
	}
}

// manifest decodes the documents of a file into what they should be, strictly.
func manifest(t *testing.T, name string, into ...any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	documents := bytes.Split(data, []byte("\n---\n"))
	if len(documents) != len(into) {
		t.Fatalf("%s has %d documents, not %d", name, len(documents), len(into))
	}
	for i, d := range documents {
		if err := yaml.UnmarshalStrict(d, into[i]); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func selects(selector, labels map[string]string) bool {
	for key, value := range selector {
		if labels[key] != value {
			return false
		}
	}
	return len(selector) > 0
}

func parseFlags(t *testing.T, args []string) *typeplane.Options {
	t.Helper()
	o, fs := typeplane.NewOptions("library"), pflag.NewFlagSet("library", pflag.ContinueOnError)
	o.AddFlags(fs)
	if err := fs.Parse(args); err != nil {
		t.Fatal(err)
	}
	if err := o.Validate(); err != nil {
		t.Fatal(err)
	}
	return o
}
