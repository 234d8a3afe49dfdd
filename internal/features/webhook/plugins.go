package webhook

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/internal/delegated"
	"github.com/typeplane/typeplane/internal/features/internal/reader"
	"github.com/typeplane/typeplane/internal/follow"
	"github.com/typeplane/typeplane/internal/server"
	"github.com/typeplane/typeplane/internal/server/metrics"
	"github.com/typeplane/typeplane/registry/rest"
)

// Where webhooks are configured.
var (
	mutatingConfigurations   = admissionregistrationv1.SchemeGroupVersion.WithResource("mutatingwebhookconfigurations")
	validatingConfigurations = admissionregistrationv1.SchemeGroupVersion.WithResource("validatingwebhookconfigurations")
)

// Options are what a program may add to webhooks.
type Options struct {
	// Conditions is the language of matchConditions, nil for none: configurations that have some
	// are refused.
	Conditions Conditions
	// Service returns the address, host:port, at which a service is reached that is a webhook. nil:
	// name.namespace.svc, as the DNS of a cluster has it. It is called from any goroutine.
	Service func(ctx context.Context, namespace, name string, port int32) (string, error)
}

// API returns the configurations of webhooks for a server that asks for them, with the plug-ins
// that ask webhooks.
func API(o Options) typeplane.API {
	api := newAPI()
	api.Admission = []typeplane.AdmissionPlugin{
		{Name: MutatingName, Last: true, Configurable: true, Needs: []schema.GroupVersionResource{mutatingConfigurations}, New: o.mutating},
		{Name: ValidatingName, Last: true, Configurable: true, Needs: []schema.GroupVersionResource{validatingConfigurations}, New: o.validating},
	}
	return api
}

func (o Options) mutating(_ context.Context, h *typeplane.Host, config []byte) (admission.Plugin, error) {
	c, err := o.config(h, config)
	if err != nil {
		return admission.Plugin{}, err
	}
	m := NewMutating(c)
	h.Readyz = append(h.Readyz, server.Check{Name: "mutating-webhooks", Check: m.Ready})
	keep(h, mutatingConfigurations, m.Set, m.Close)
	return m.Plugin(), nil
}

func (o Options) validating(_ context.Context, h *typeplane.Host, config []byte) (admission.Plugin, error) {
	c, err := o.config(h, config)
	if err != nil {
		return admission.Plugin{}, err
	}
	v := NewValidating(c)
	h.Readyz = append(h.Readyz, server.Check{Name: "validating-webhooks", Check: v.Ready})
	keep(h, validatingConfigurations, v.Set, v.Close)
	return v.Plugin(), nil
}

// keep has a plug-in know the configurations that there are, from their watch, while the server
// serves.
func keep[T any, P interface {
	*T
	metav1.Object
}](h *typeplane.Host, resource schema.GroupVersionResource, set func([]P), end func()) {
	from, log := *h.Resource(resource, ""), h.Log
	h.Go(func(ctx context.Context) {
		defer end()
		follow.Keep(ctx, &from, log, set)
	})
}

func (o Options) config(h *typeplane.Host, config []byte) (Config, error) {
	credentials, err := fileCredentials(config)
	if err != nil {
		return Config{}, err
	}
	observed := metrics.NewWebhooks(h.Metrics)
	c := Config{
		Resolve: o.Service, Conditions: o.Conditions, Authorizer: h.Authorizer, Credentials: credentials, Log: h.Log,
		Observe: func(call Call) { observed.Observe(metrics.WebhookCall(call)) },
	}
	if namespaces := h.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, ""); namespaces != nil {
		c.Namespaces = namespaceLabels(namespaces.Get)
	}
	return c, nil
}

// namespaceLabels reads the labels of a namespace, from memory if it is there.
func namespaceLabels(namespaces rest.Getter) func(context.Context, string) (map[string]string, error) {
	return func(ctx context.Context, name string) (map[string]string, error) {
		view, err := namespaces.Get(ctx, rest.Name{Name: name}, reader.Options(false))
		if err != nil {
			if view, err = namespaces.Get(ctx, rest.Name{Name: name}, reader.Options(true)); err != nil {
				return nil, err
			}
		}
		var namespace metav1.PartialObjectMetadata
		if err := rest.Read(view, &namespace); err != nil {
			return nil, err
		}
		return namespace.Labels, nil
	}
}

// fileConfig is the configuration of both plug-ins, as Kubernetes has it.
type fileConfig struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// KubeConfigFile has users that are called like the hosts of webhooks.
	KubeConfigFile string `json:"kubeConfigFile"`
}

// fileCredentials says how webhooks know the server, by a configuration that may be nil.
func fileCredentials(config []byte) (func(string) Credential, error) {
	if config == nil {
		return nil, nil
	}
	var c fileConfig
	if err := yaml.UnmarshalStrict(config, &c); err != nil {
		return nil, err
	}
	switch said := c.APIVersion + " " + c.Kind; said {
	case "apiserver.config.k8s.io/v1 WebhookAdmissionConfiguration", "apiserver.config.k8s.io/v1alpha1 WebhookAdmission":
	default:
		return nil, fmt.Errorf("it is a %q, want a WebhookAdmissionConfiguration of apiserver.config.k8s.io/v1", said)
	}
	if c.KubeConfigFile == "" {
		return nil, errors.New("kubeConfigFile: want a file")
	}
	if !filepath.IsAbs(c.KubeConfigFile) {
		return nil, fmt.Errorf("kubeConfigFile: %q must be an absolute file path", c.KubeConfigFile)
	}
	users, err := delegated.ReadUsers(c.KubeConfigFile)
	if err != nil {
		return nil, fmt.Errorf("kubeConfigFile: %w", err)
	}
	return func(hostPort string) (credential Credential) {
		user := users.For(hostPort)
		if user == nil {
			return credential
		}
		credential.Certificate, credential.Token = user.Credential()
		return credential
	}, nil
}
