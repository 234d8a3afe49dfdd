package quota

import (
	"fmt"

	"sigs.k8s.io/yaml"
)

// quotaConfig is the configuration of the plug-in ResourceQuota, as Kubernetes has it.
type quotaConfig struct {
	APIVersion       string    `json:"apiVersion"`
	Kind             string    `json:"kind"`
	LimitedResources []Limited `json:"limitedResources"`
}

// limitedResources reads a configuration, which may be nil.
func limitedResources(config []byte) ([]Limited, error) {
	if config == nil {
		return nil, nil
	}
	var c quotaConfig
	if err := yaml.UnmarshalStrict(config, &c); err != nil {
		return nil, err
	}
	switch said := c.APIVersion + " " + c.Kind; said {
	case "apiserver.config.k8s.io/v1 ResourceQuotaConfiguration",
		"resourcequota.admission.k8s.io/v1beta1 Configuration", "resourcequota.admission.k8s.io/v1alpha1 Configuration":
	default:
		return nil, fmt.Errorf("it is a %q, want a ResourceQuotaConfiguration of apiserver.config.k8s.io/v1", said)
	}
	return c.LimitedResources, nil
}
