package servertest

import (
	"crypto/ecdsa"
	"crypto/tls"
	"encoding/json"
	"encoding/pem"
	"net/http"

	"github.com/typeplane/typeplane/apitest"
)

// Certificate is what was issued for the request at a path, in PEM.
func (c Client) Certificate(path string) []byte {
	c.t.Helper()
	var csr struct{ Status struct{ Certificate []byte } }
	if err := json.Unmarshal([]byte(c.Want(200, "", "GET", path, "")), &csr); err != nil {
		c.t.Fatal(err)
	}
	return csr.Status.Certificate
}

// As talks to the server as the user with a key and a certificate in PEM.
func (c Client) As(key *ecdsa.PrivateKey, certificate []byte) Client {
	c.t.Helper()
	block, _ := pem.Decode(certificate)
	if block == nil {
		c.t.Fatalf("no certificate in %q", certificate)
	}
	config := c.Client.Transport.(*http.Transport).TLSClientConfig.Clone()
	config.Certificates = []tls.Certificate{{Certificate: [][]byte{block.Bytes}, PrivateKey: key}}
	transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true}
	c.t.Cleanup(transport.CloseIdleConnections)
	return c.with(transport)
}

// Acting talks to the server as its administrator who acts as a user.
func (c Client) Acting(user string) Client {
	return c.with(impersonating{c.Client.Transport, user})
}

func (c Client) with(transport http.RoundTripper) Client {
	return Client{c.t, &apitest.Server{URL: c.URL, Kubeconfig: c.Kubeconfig, KubeconfigFile: c.KubeconfigFile, Client: &http.Client{Transport: transport}}}
}

type impersonating struct {
	http.RoundTripper
	user string
}

func (i impersonating) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Impersonate-User", i.user)
	return i.RoundTripper.RoundTrip(req)
}

// Table is what kubectl get shows of a list.
func (c Client) Table(path string) string {
	c.t.Helper()
	return c.with(tables{c.Client.Transport}).Want(200, `"kind":"Table"`, "GET", path, "")
}

type tables struct{ http.RoundTripper }

func (t tables) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
	return t.RoundTripper.RoundTrip(req)
}

// Refused waits until the server does not know the user any more.
func (c Client) Refused(path string) {
	c.t.Helper()
	Eventually(c.t, "the user is still known", func() bool {
		code, _ := c.Do(http.MethodPost, path, "{}")
		return code == http.StatusUnauthorized
	})
}
