package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane/runtime/wire"
)

// target is one of the two servers, with what a client knows about its objects.
type target struct {
	*process
	prefix string // in etcd
	client *client
	tls    *tls.Config
	n      int
	seeder *seeder

	pods []*corev1.Pod // the first ones, as they were last seen

	mu      sync.Mutex // guards made
	made    []string   // names of what create rows have made in namespace scratch
	creates int
	events  int // written by watch rows
}

// scratch is the namespace that create rows use.
const scratch = "scratch"

func startOurs(ctx context.Context, dir, bin, etcd string) (*target, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "ours-data")
	p, err := start(dir, bin, "ours", true, "--secure-port", strconv.Itoa(port), "--etcd-servers", etcd, "--etcd-prefix", "/ours", "--data-dir", data)
	if err != nil {
		return nil, err
	}
	t := &target{process: p, prefix: "/ours"}
	return t, t.connect(ctx, port, func() (*tls.Config, error) { return adminTLS(filepath.Join(data, "admin.kubeconfig")) })
}

func startPeer(ctx context.Context, dir, bin, etcd string) (*target, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	certs := filepath.Join(dir, "peer-certs")
	p, err := start(dir, bin, "peer", true, "--port", strconv.Itoa(port), "--etcd", etcd, "--prefix", "/peer", "--dir", certs)
	if err != nil {
		return nil, err
	}
	t := &target{process: p, prefix: "/peer"}
	return t, t.connect(ctx, port, func() (*tls.Config, error) {
		pem, err := os.ReadFile(filepath.Join(certs, "serving.crt"))
		return &tls.Config{RootCAs: pool(pem)}, err
	})
}

// connect waits until the server answers a list; config may fail until it has written its certificates.
func (t *target) connect(ctx context.Context, port int, config func() (*tls.Config, error)) error {
	err := t.until(ctx, func(ctx context.Context) error {
		var err error
		if t.tls, err = config(); err != nil {
			return err
		}
		t.client = newClient(port, t.tls)
		_, err = t.client.do(ctx, request{method: "GET", path: "/api/v1/pods?limit=1", accept: asJSON})
		return err
	})
	if err != nil {
		t.stop()
	}
	return err
}

// load reads the pods that rows will change, and with them all others, so that nothing is cold.
func (t *target) load(ctx context.Context) error {
	body, err := t.client.do(ctx, request{method: "GET", path: "/api/v1/pods", accept: protobuf})
	if err != nil {
		return err
	}
	envelope, err := wire.ParseEnvelope(body)
	if err != nil {
		return err
	}
	var list corev1.PodList
	if err := list.Unmarshal(envelope.Raw); err != nil {
		return err
	}
	if len(list.Items) != t.n {
		return fmt.Errorf("%s has %d pods, want %d", t.name, len(list.Items), t.n)
	}
	for i := range list.Items[:t.n/2] {
		t.pods = append(t.pods, &list.Items[i])
	}
	return nil
}

func pool(pem []byte) *x509.CertPool {
	p := x509.NewCertPool()
	p.AppendCertsFromPEM(pem)
	return p
}

// adminTLS reads the credential that our server writes for its administrator.
func adminTLS(kubeconfig string) (*tls.Config, error) {
	data, err := os.ReadFile(kubeconfig)
	if err != nil {
		return nil, err
	}
	var config struct {
		Clusters []struct {
			Cluster struct {
				CA []byte `json:"certificate-authority-data"`
			} `json:"cluster"`
		} `json:"clusters"`
		Users []struct {
			User struct {
				Cert []byte `json:"client-certificate-data"`
				Key  []byte `json:"client-key-data"`
			} `json:"user"`
		} `json:"users"`
	}
	if err := yaml.Unmarshal(data, &config); err != nil {
		return nil, err
	}
	if len(config.Clusters) != 1 || len(config.Users) != 1 {
		return nil, fmt.Errorf("%s: want one cluster and one user", kubeconfig)
	}
	cert, err := tls.X509KeyPair(config.Users[0].User.Cert, config.Users[0].User.Key)
	return &tls.Config{RootCAs: pool(config.Clusters[0].Cluster.CA), Certificates: []tls.Certificate{cert}}, err
}
