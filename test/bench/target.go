package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane/test/bench/pods"
)

// target is one of the two servers, with what a client knows about its objects.
type target struct {
	*process
	prefix string // in etcd
	speaks string // the media type of what does not say one
	client *client
	tls    *tls.Config
	n      int
	seeder *seeder
	// change makes an event: the pod with number i is another one, for those who watch it in the
	// form that they accept.
	change func(ctx context.Context, i int, round, accept string) error
	startup

	pods []*corev1.Pod // the first ones, as they were last seen

	mu      sync.Mutex // guards made
	made    []string   // names of what create rows have made in namespace scratch
	creates int
	events  int // written by watch rows
}

// Names of the servers, and of their programs.
const (
	nameOurs  = "ours"
	namePeer  = "peer"
	nameReady = "ready"
)

// scratch is the namespace that create rows use.
const scratch = "scratch"

func startOurs(ctx context.Context, b *bench) (*target, error) {
	return b.startOne(ctx, nameOurs, b.dir, "/ours")
}

// startOne starts the program called name, a build of our server. Its files are in dir and its
// objects below a prefix of etcd. It does not rewrite objects that are outdated at rest, because
// that would be measured, too.
func (b *bench) startOne(ctx context.Context, name, dir, prefix string, flags ...string) (*target, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "ours-data")
	flags = append([]string{"--secure-port", strconv.Itoa(port), "--etcd-servers", b.endpoint, "--etcd-prefix", prefix, "--data-dir", data, "--storage-migration-rate", "0"}, flags...)
	p, err := start(dir, b.bin, name, true, flags...)
	if err != nil {
		return nil, err
	}
	t := &target{process: p, prefix: prefix, speaks: cmp.Or(b.speaks, protobuf), n: b.n, seeder: b.seeder, change: b.seeder.behind(prefix)}
	return t, t.connect(ctx, port, func() (*tls.Config, error) { return adminTLS(filepath.Join(data, "admin.kubeconfig")) })
}

func startPeer(ctx context.Context, b *bench) (*target, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	certs := filepath.Join(b.dir, "peer-certs")
	p, err := start(b.dir, b.bin, namePeer, true, "--port", strconv.Itoa(port), "--etcd", b.endpoint, "--prefix", "/peer", "--dir", certs)
	if err != nil {
		return nil, err
	}
	t := &target{process: p, prefix: "/peer", speaks: protobuf, n: b.n, seeder: b.seeder, change: b.seeder.behind("/peer")}
	return t, t.connect(ctx, port, func() (*tls.Config, error) {
		pem, err := os.ReadFile(filepath.Join(certs, "serving.crt"))
		return &tls.Config{RootCAs: pool(pem)}, err
	})
}

// startup is what it took a server to come up over the pods that are there, from the start of its
// process.
type startup struct {
	filled, cpu time.Duration // until it answered from a cache with everything in it, and its CPU time until then
	mib         int           // resident at that time
	listed      time.Duration // until it had answered a list of all pods
	settled     int           // MiB resident when nobody has asked for settles
}

// connect waits until the server answers, then lists all pods, so that nothing is cold, and keeps
// those that rows will change. config may fail until the server has written its certificates. A
// server that does not come up is stopped.
func (t *target) connect(ctx context.Context, port int, config func() (*tls.Config, error)) error {
	err := t.until(ctx, func(ctx context.Context) error {
		if t.client == nil {
			var err error
			if t.tls, err = config(); err != nil {
				return err
			}
			t.client = newClient(port, t.tls)
		}
		// Both answer such a list from their caches alone, once these are full; the peer says 429
		// before.
		return listed(ctx, t, request{path: path(pods.Namespace(0), ""), accept: t.speaks}, min(t.n, pods.PerNamespace))
	})
	if err == nil {
		err = t.started(ctx)
	}
	if err != nil {
		t.stop()
	}
	return err
}

// started fills in the startup.
func (t *target) started(ctx context.Context) (err error) {
	s := &t.startup
	s.filled = time.Since(t.begun)
	if s.cpu, err = cpu(t.pid()); err != nil {
		return err
	}
	if s.mib, err = resident(t.pid()); err != nil {
		return err
	}
	body, err := t.client.do(ctx, request{method: "GET", path: "/api/v1/pods", accept: t.speaks})
	if err != nil {
		return err
	}
	s.listed = time.Since(t.begun)
	return t.keep(body)
}

// mostKept is how many pods there are at most for rows that need one for each step.
const mostKept = 5000

// keep decodes a list of all pods, and keeps the first half of them.
func (t *target) keep(body []byte) error {
	list, err := decodeList(body, t.speaks)
	if err != nil {
		return err
	}
	if len(list.Items) != t.n {
		return fmt.Errorf("%s has %d pods, want %d", t.name, len(list.Items), t.n)
	}
	for i := range min(t.n/2, mostKept) {
		t.pods = append(t.pods, list.Items[i].DeepCopy())
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
