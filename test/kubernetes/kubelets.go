package main

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// kubelets are what KWOK stands for on all nodes: one address at which it answers with logs, runs
// commands on this machine, and forwards connections to a server here.
type kubelets struct {
	ip   net.IP
	port int
	// behind is what forwarded connections reach.
	behind *httptest.Server
}

// printed is what every container has printed, as runtimes of containers write it.
const printed = "2026-11-23T12:00:00.000000000Z stdout F one line\n2026-11-23T12:00:01.000000000Z stdout F and another\n"

// openKubelets writes what KWOK needs for that below dir, when the server has its authority.
func (c *cluster) openKubelets() (*kubelets, error) {
	ip, err := globalAddress()
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(ip.String(), "0"))
	if err != nil {
		return nil, err
	}
	k := &kubelets{ip: ip, port: listener.Addr().(*net.TCPAddr).Port}
	if err := listener.Close(); err != nil {
		return nil, err
	}
	k.behind = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "reached") }))
	container := c.containerLog()
	config := fmt.Sprintf(kubeletConfig, container, container, k.behind.Listener.Addr().(*net.TCPAddr).Port)
	return k, errors.Join(
		os.WriteFile(container, []byte(printed), 0o600),
		os.WriteFile(c.kubeletConfig(), []byte(config), 0o600),
		c.certify(ip))
}

func (c *cluster) containerLog() string  { return filepath.Join(c.dir, "container.log") }
func (c *cluster) kubeletConfig() string { return filepath.Join(c.dir, "kubelets.yaml") }

// kubeletConfig says what KWOK answers: a file for logs and who is attached, and a port.
const kubeletConfig = `
apiVersion: kwok.x-k8s.io/v1alpha1
kind: ClusterLogs
metadata: {name: all}
spec: {logs: [{logsFile: %q}]}
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: ClusterExec
metadata: {name: all}
spec: {execs: [{local: {}}]}
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: ClusterAttach
metadata: {name: all}
spec: {attaches: [{logsFile: %q}]}
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: ClusterPortForward
metadata: {name: all}
spec: {forwards: [{target: {port: %d, address: 127.0.0.1}}]}
`

// flags are those of KWOK.
func (k *kubelets) flags(c *cluster) []string {
	return []string{
		"--config=" + c.kubeletConfig(), "--node-ip=" + k.ip.String(), "--node-port=" + strconv.Itoa(k.port),
		"--tls-cert-file=" + filepath.Join(c.dir, "kubelets.crt"), "--tls-private-key-file=" + filepath.Join(c.dir, "kubelets.key"),
	}
}

// globalAddress is one of this machine that is not for itself only: the server dials no other.
func globalAddress() (net.IP, error) {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil, err
	}
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() && n.IP.To4() != nil {
			return n.IP, nil
		}
	}
	return nil, errors.New("this machine has no address but its own loopback, and the server dials no kubelet there")
}

// certify makes the certificate of the kubelets, signed by the authority of the cluster.
func (c *cluster) certify(ip net.IP) error {
	pki := filepath.Join(c.data(), "pki")
	authority, err := tls.LoadX509KeyPair(filepath.Join(pki, "ca.crt"), filepath.Join(pki, "ca.key"))
	if err != nil {
		return err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	cert, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "system:node:all", Organization: []string{"system:nodes"}},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, IPAddresses: []net.IP{ip},
	}, authority.Leaf, &key.PublicKey, authority.PrivateKey)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(c.dir, "kubelets.crt"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}), 0o600),
		os.WriteFile(filepath.Join(c.dir, "kubelets.key"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600))
}

var forwarding = regexp.MustCompile(`^Forwarding from (127\.0\.0\.1:\d+)`)

// forward reaches a port of a pod by kubectl port-forward.
func forward(ctx context.Context, c *cluster) error {
	return c.until(ctx, "port-forward pod/talker :8080", func(line string) (bool, error) {
		found := forwarding.FindStringSubmatch(line)
		if found == nil {
			return false, nil
		}
		resp, err := http.Get("http://" + found[1])
		if err != nil {
			return false, err
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err == nil && string(text) != "reached" {
			err = fmt.Errorf("the pod answers %q", text)
		}
		return true, err
	})
}

// attach sees what a container prints from now on, by kubectl attach. So it prints until that is
// seen.
func attach(ctx context.Context, c *cluster) error {
	ctx, cancel := context.WithCancel(ctx)
	var printing sync.WaitGroup
	defer printing.Wait()
	defer cancel()
	container, err := os.OpenFile(c.containerLog(), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer container.Close()
	printing.Go(func() {
		for ctx.Err() == nil {
			io.WriteString(container, "2026-11-23T12:00:02.000000000Z stdout F now this\n")
			select {
			case <-ctx.Done():
			case <-time.After(200 * time.Millisecond):
			}
		}
	})
	return c.until(ctx, "attach talker", func(line string) (bool, error) { return strings.Contains(line, "now this"), nil })
}

// until runs a command of kubectl that does not end by itself, until a line of it is the one.
func (c *cluster) until(ctx context.Context, args string, is func(line string) (bool, error)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := c.kubectlCommand(ctx, args)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer cmd.Wait()
	defer cancel()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if done, err := is(lines.Text()); done || err != nil {
			return err
		}
	}
	return errors.Join(fmt.Errorf("kubectl %s has ended", args), ctx.Err())
}
