package delegated

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/typeplane/typeplane/auth"
)

// Where a cluster publishes whom it trusts; role extension-apiserver-authentication-reader may read
// it.
const (
	configMaps    = "/api/v1/namespaces/kube-system/configmaps"
	configMapName = "extension-apiserver-authentication"
)

const (
	// watchTime bounds a watch. After it the ConfigMap is read again, so that no lost event stays
	// lost for longer.
	watchTime = 5 * time.Minute
	// After a failure it takes at least minRest until the next try, and up to maxRest when failures
	// go on.
	minRest = time.Second
	maxRest = 30 * time.Second
)

// Cluster authenticates whom a cluster trusts: its front proxies, by their headers, and those with
// a client certificate of the cluster. It goes by the ConfigMap that kube-apiserver keeps, and
// follows its changes. It is safe for concurrent use.
type Cluster struct {
	client *Client
	log    *slog.Logger
	// proxies says whether front proxies are read, and not only client certificates.
	proxies bool
	trust   atomic.Pointer[auth.Union]
	// version is the ConfigMap's resourceVersion at the last Load. Load and Follow are not called
	// at the same time.
	version string
}

var _ auth.Authenticator = (*Cluster)(nil)

// NewCluster trusts nobody until Load or Follow has read the ConfigMap. Without proxies the front
// proxies in it are not trusted, for a server that was told its own.
func NewCluster(client *Client, proxies bool, log *slog.Logger) *Cluster {
	c := &Cluster{client: client, proxies: proxies, log: log}
	c.trust.Store(&auth.Union{})
	return c
}

// Authenticate is auth.Union's.
func (c *Cluster) Authenticate(req *http.Request) (*auth.User, error) {
	return c.trust.Load().Authenticate(req)
}

// configMap is a ConfigMap, or the Status that ends a watch.
type configMap struct {
	Kind     string `json:"kind"`
	Message  string `json:"message"`
	Metadata struct {
		Name            string `json:"name"`
		ResourceVersion string `json:"resourceVersion"`
	} `json:"metadata"`
	Data map[string]string `json:"data"`
}

// Load reads the ConfigMap. When that fails what was known before stays in force, but without the
// ConfigMap nobody is trusted any more.
func (c *Cluster) Load(ctx context.Context) error {
	var got configMap
	if err := c.client.call(ctx, http.MethodGet, configMaps+"/"+configMapName, nil, &got); err != nil {
		var status *statusError
		if errors.As(err, &status) && status.code == http.StatusNotFound {
			c.trust.Store(&auth.Union{})
		}
		return fmt.Errorf("delegated: ConfigMap kube-system/%s: %w", configMapName, err)
	}
	return c.take(&got)
}

// take puts a ConfigMap into force.
func (c *Cluster) take(got *configMap) error {
	trust, err := c.readTrust(got.Data)
	if err != nil {
		return fmt.Errorf("delegated: ConfigMap kube-system/%s: %w", configMapName, err)
	}
	c.trust.Store(&trust)
	c.version = got.Metadata.ResourceVersion
	return nil
}

// Follow puts changes of the ConfigMap into force until ctx ends. What fails is logged and tried
// again.
func (c *Cluster) Follow(ctx context.Context) {
	rest := minRest
	for ctx.Err() == nil {
		err := c.watch(ctx)
		if err == nil {
			err = c.Load(ctx)
		}
		if err == nil {
			rest = minRest
			continue
		}
		if ctx.Err() != nil {
			return
		}
		c.log.Warn("whom the cluster trusts could not be read; it is tried again", "error", err, "in", rest)
		select {
		case <-ctx.Done():
		case <-time.After(rest):
		}
		rest = min(2*rest, maxRest)
		c.version = "" // the next watch begins with the state of then
	}
}

// watch takes what comes until the stream ends, which is no error if something came of it or its
// time is over.
func (c *Cluster) watch(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, watchTime+time.Minute)
	defer cancel()
	query := url.Values{
		"watch": {"true"}, "fieldSelector": {"metadata.name=" + configMapName},
		"timeoutSeconds": {strconv.Itoa(int(watchTime.Seconds()))},
	}
	if c.version != "" {
		query.Set("resourceVersion", c.version)
	}
	began := time.Now()
	resp, err := c.client.do(ctx, http.MethodGet, configMaps, query, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	events, count := json.NewDecoder(resp.Body), 0
	for {
		var event struct {
			Type   string    `json:"type"`
			Object configMap `json:"object"`
		}
		if err := events.Decode(&event); err != nil {
			if count == 0 && time.Since(began) < minRest {
				return fmt.Errorf("the watch ended at once: %w", err)
			}
			return nil
		}
		if event.Type == "ERROR" {
			return fmt.Errorf("the watch ended: %s", event.Object.Message)
		}
		if event.Object.Metadata.Name != configMapName {
			continue // from a server that takes no field selectors
		}
		count++
		if err := c.event(event.Type, &event.Object); err != nil {
			return err
		}
	}
}

func (c *Cluster) event(kind string, object *configMap) error {
	switch kind {
	case "ADDED", "MODIFIED":
		c.log.Info("whom the cluster trusts was read anew")
		return c.take(object)
	case "DELETED":
		c.log.Warn("the ConfigMap that says whom the cluster trusts is gone: nobody is trusted by it")
		c.trust.Store(&auth.Union{})
	}
	return nil
}

// readTrust reads the data of the ConfigMap. What is missing in it trusts nobody.
func (c *Cluster) readTrust(data map[string]string) (auth.Union, error) {
	var trust auth.Union
	if ca := data["requestheader-client-ca-file"]; ca != "" && c.proxies {
		proxy, err := readProxy(data, ca)
		if err != nil {
			return nil, err
		}
		trust = append(trust, proxy)
	}
	if ca := data["client-ca-file"]; ca != "" {
		clients, err := auth.NewClientCertificates([]byte(ca))
		if err != nil {
			return nil, fmt.Errorf("client-ca-file: %w", err)
		}
		trust = append(trust, clients)
	}
	return trust, nil
}

func readProxy(data map[string]string, ca string) (*auth.FrontProxy, error) {
	config := auth.FrontProxyConfig{CA: []byte(ca)}
	for key, to := range map[string]*[]string{
		"requestheader-allowed-names":        &config.AllowedNames,
		"requestheader-username-headers":     &config.UsernameHeaders,
		"requestheader-uid-headers":          &config.UIDHeaders,
		"requestheader-group-headers":        &config.GroupHeaders,
		"requestheader-extra-headers-prefix": &config.ExtraPrefixes,
	} {
		if data[key] == "" {
			continue
		}
		if err := json.Unmarshal([]byte(data[key]), to); err != nil {
			return nil, fmt.Errorf("%s: want a JSON list of strings: %w", key, err)
		}
	}
	if len(config.UIDHeaders) == 0 {
		config.UIDHeaders = []string{"X-Remote-Uid"} // clusters before 1.32 do not name it; it must be taken away anyway
	}
	proxy, err := auth.NewFrontProxy(config)
	if err != nil {
		return nil, fmt.Errorf("requestheader-client-ca-file: %w", err)
	}
	return proxy, nil
}
