package features

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/admission/webhook"
	"github.com/typeplane/typeplane/auth/delegated"
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

// webhookPlugins ask webhooks, when everybody else has done what they do to an object. Policies are
// asked before those that only judge.
func webhookPlugins(x Extras) []typeplane.AdmissionPlugin {
	w := &webhookMaker{extras: x}
	mutating := typeplane.AdmissionPlugin{Name: webhook.MutatingName, Last: true, Configurable: true, Needs: []schema.GroupVersionResource{mutatingConfigurations}, New: w.mutating}
	validating := typeplane.AdmissionPlugin{Name: webhook.ValidatingName, Last: true, Configurable: true, Needs: []schema.GroupVersionResource{validatingConfigurations}, New: w.validating}
	return slices.Concat([]typeplane.AdmissionPlugin{mutating}, x.Policies.Admission, []typeplane.AdmissionPlugin{validating})
}

// webhookMaker makes the plug-ins of a server.
type webhookMaker struct{ extras Extras }

func (w *webhookMaker) mutating(_ context.Context, h *typeplane.Host, config []byte) (admission.Plugin, error) {
	c, err := w.config(h, config)
	if err != nil {
		return admission.Plugin{}, err
	}
	m := webhook.NewMutating(c)
	h.Readyz = append(h.Readyz, server.Check{Name: "mutating-webhooks", Check: m.Ready})
	keep(h, mutatingConfigurations, m.Set, m.Close)
	return m.Plugin(), nil
}

func (w *webhookMaker) validating(_ context.Context, h *typeplane.Host, config []byte) (admission.Plugin, error) {
	c, err := w.config(h, config)
	if err != nil {
		return admission.Plugin{}, err
	}
	v := webhook.NewValidating(c)
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

func (w *webhookMaker) config(h *typeplane.Host, config []byte) (webhook.Config, error) {
	credentials, err := webhookCredentials(config)
	if err != nil {
		return webhook.Config{}, err
	}
	observed := metrics.NewWebhooks(h.Metrics)
	c := webhook.Config{
		Resolve: w.extras.Service, Conditions: w.extras.Conditions, Authorizer: h.Authorizer, Credentials: credentials, Log: h.Log,
		Observe: func(call webhook.Call) { observed.Observe(metrics.WebhookCall(call)) },
	}
	if namespaces := h.Resource(namespacesResource, ""); namespaces != nil {
		c.Namespaces = namespaceLabels(namespaces.Get)
	}
	return c, nil
}

// namespaceLabels reads the labels of a namespace, from memory if it is there.
func namespaceLabels(namespaces rest.Getter) func(context.Context, string) (map[string]string, error) {
	return func(ctx context.Context, name string) (map[string]string, error) {
		view, err := namespaces.Get(ctx, rest.Name{Name: name}, howFresh(false))
		if err != nil {
			if view, err = namespaces.Get(ctx, rest.Name{Name: name}, howFresh(true)); err != nil {
				return nil, err
			}
		}
		var namespace metav1.PartialObjectMetadata
		if err := follow.Read(view, &namespace); err != nil {
			return nil, err
		}
		return namespace.Labels, nil
	}
}

// webhookConfig is the configuration of both plug-ins, as Kubernetes has it.
type webhookConfig struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// KubeConfigFile has users that are called like the hosts of webhooks.
	KubeConfigFile string `json:"kubeConfigFile"`
}

// webhookCredentials says how webhooks know the server, by a configuration that may be nil.
func webhookCredentials(config []byte) (func(string) webhook.Credential, error) {
	if config == nil {
		return nil, nil
	}
	var c webhookConfig
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
	return func(hostPort string) (credential webhook.Credential) {
		user := users.For(hostPort)
		if user == nil {
			return credential
		}
		credential.Certificate, credential.Token = user.Credential()
		return credential
	}, nil
}
