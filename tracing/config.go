package tracing

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"sigs.k8s.io/yaml"
)

// configuration is a TracingConfiguration of kube-apiserver.
type configuration struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Endpoint is where the collector listens; nil: localhost:4317.
	Endpoint *string `json:"endpoint"`
	// SamplingRatePerMillion is how many requests of a million are kept, beside those whose clients
	// want theirs to be.
	SamplingRatePerMillion *int32 `json:"samplingRatePerMillion"`
}

const (
	group           = "apiserver.config.k8s.io/"
	kind            = "TracingConfiguration"
	defaultEndpoint = "localhost:4317"
	million         = 1_000_000
)

var versions = []string{group + "v1", group + "v1beta1", group + "v1alpha1"}

// parse reads a file. Fields that it does not know are errors.
func parse(data []byte) (*configuration, error) {
	c := new(configuration)
	if err := yaml.UnmarshalStrict(data, c); err != nil {
		return nil, err
	}
	var errs []error
	if c.Kind != kind || !slices.Contains(versions, c.APIVersion) {
		errs = append(errs, fmt.Errorf("want a %s of %s, got kind %q of %q", kind, strings.Join(versions, ", "), c.Kind, c.APIVersion))
	}
	if rate := c.SamplingRatePerMillion; rate != nil && (*rate < 0 || *rate > million) {
		errs = append(errs, fmt.Errorf("samplingRatePerMillion: %d is not between 0 and %d", *rate, million))
	}
	if err := checkEndpoint(c.endpoint()); err != nil {
		errs = append(errs, fmt.Errorf("endpoint: %w", err))
	}
	return c, errors.Join(errs...)
}

// checkEndpoint wants an address as gRPC knows it: host:port, or with one of the schemes that
// kube-apiserver takes.
func checkEndpoint(endpoint string) error {
	if !strings.Contains(endpoint, "//") {
		endpoint = "dns://" + endpoint
	}
	u, err := url.Parse(endpoint)
	if err != nil {
		return err
	}
	if !slices.Contains([]string{"dns", "unix", "unix-abstract"}, u.Scheme) {
		return fmt.Errorf("%q has the scheme %s; it can be dns, unix, unix-abstract, or none", endpoint, u.Scheme)
	}
	return nil
}

func (c *configuration) endpoint() string {
	if c.Endpoint == nil || *c.Endpoint == "" {
		return defaultEndpoint
	}
	return *c.Endpoint
}

// sampler follows the client's choice where there is one, and else picks as many as it should.
func (c *configuration) sampler() sdktrace.Sampler {
	own := sdktrace.NeverSample()
	if rate := c.SamplingRatePerMillion; rate != nil && *rate > 0 {
		own = sdktrace.TraceIDRatioBased(float64(*rate) / million)
	}
	return sdktrace.ParentBased(own)
}
