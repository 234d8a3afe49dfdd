package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/typeplane/typeplane/internal/testserver"
)

// auditPolicy is what our server logs without a policy: the metadata of what writes.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: None
  verbs: [get, list, watch]
- level: Metadata
`

// kubeAPIServer is Kubernetes' own server, over the etcd of the cluster. Keys and certificates are
// where ours keeps them. What is not named here is as it is by default.
func kubeAPIServer(ctx context.Context, c *cluster, log *os.File) (*testserver.Process, error) {
	pki := filepath.Join(c.data(), "pki")
	for _, dir := range []string{pki, filepath.Join(c.data(), "audit")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	}
	policy := filepath.Join(c.data(), "audit-policy.yaml")
	if err := os.WriteFile(policy, []byte(auditPolicy), 0o600); err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	ca, err := newAuthority(pki, "ca")
	if err != nil {
		return nil, err
	}
	proxies, err := newAuthority(pki, "proxies")
	if err != nil {
		return nil, err
	}
	_, err = newKey(filepath.Join(pki, "service-accounts.key"))
	err = errors.Join(err, ca.server("server"), ca.client("admin", "admin", "system:masters"), proxies.client("aggregator", "aggregator"))
	if err != nil {
		return nil, err
	}
	kubeconfig, err := ca.kubeconfig("admin", fmt.Sprintf("https://127.0.0.1:%d", port))
	if err != nil {
		return nil, err
	}
	at := func(name string) string { return filepath.Join(pki, name) }
	cmd := exec.Command(filepath.Join(c.bin, "kube-apiserver"),
		"--etcd-servers="+c.etcd, "--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", port),
		// The endpoints of the service kubernetes may not be on loopback.
		"--advertise-address=127.0.0.1", "--endpoint-reconciler-type=none",
		"--tls-cert-file="+at("server.crt"), "--tls-private-key-file="+at("server.key"), "--client-ca-file="+at("ca.crt"),
		"--service-account-issuer=https://kubernetes.default.svc", "--service-cluster-ip-range=10.96.0.0/16",
		"--service-account-key-file="+at("service-accounts.key"), "--service-account-signing-key-file="+at("service-accounts.key"),
		"--requestheader-client-ca-file="+at("proxies.crt"), "--requestheader-allowed-names=aggregator",
		"--requestheader-username-headers=X-Remote-User", "--requestheader-group-headers=X-Remote-Group",
		"--requestheader-uid-headers=X-Remote-Uid", "--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file="+at("aggregator.crt"), "--proxy-client-key-file="+at("aggregator.key"),
		"--authorization-mode=RBAC", "--audit-policy-file="+policy, "--audit-log-path="+filepath.Join(c.data(), "audit", "audit.log"),
	)
	cmd.Stderr, c.signing = log, true
	return testserver.StartWith(ctx, cmd, kubeconfig)
}

// freePort returns a TCP port of 127.0.0.1 that nobody listens on right now.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
