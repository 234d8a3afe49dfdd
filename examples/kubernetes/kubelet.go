package kubernetes

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/proxy"
	"github.com/typeplane/typeplane/registry/rest"
)

// kubelets are those of all nodes. Strategies have no server, so this process has one of them.
var kubelets kubeletClient

// kubeletUser is who the server is for a kubelet. The role system:kubelet-api-admin is for it.
const kubeletUser = "kube-apiserver-kubelet-client"

// kubeletPort is where a kubelet listens that does not say so.
const kubeletPort = 10250

// kubeletClient hands requests on to kubelets. It knows them by certificates of the cluster's
// authority, and shows one itself.
type kubeletClient struct {
	nodes  *rest.Resource
	proxy  *proxy.Proxy
	signer *auth.ClientSigner

	mu   sync.Mutex // guards cert
	cert *tls.Certificate
}

// connections lets the server reach kubelets. It has to know nodes for that.
func connections() typeplane.API {
	return typeplane.API{Extend: func(_ context.Context, h *typeplane.Host) error {
		authorities := x509.NewCertPool()
		authorities.AppendCertsFromPEM(h.RootCA)
		kubelets.nodes, kubelets.signer = h.Resource(corev1.SchemeGroupVersion.WithResource("nodes"), ""), h.ClientSigner
		kubelets.proxy = proxy.New(proxy.Config{TLS: &tls.Config{RootCAs: authorities, GetClientCertificate: kubelets.certificate}})
		return nil
	}}
}

// The certificate that kubelets see is good for a day, and is made anew when half of that is over.
const certificateLifetime = 24 * time.Hour

func (k *kubeletClient) certificate(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.cert != nil && time.Until(k.cert.Leaf.NotAfter) > certificateLifetime/2 {
		return k.cert, nil
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: kubeletUser}}, key)
	if err != nil {
		return nil, err
	}
	request, err := x509.ParseCertificateRequest(der)
	if err != nil {
		return nil, err
	}
	signed, err := k.signer.Sign(request, x509.KeyUsageDigitalSignature, certificateLifetime)
	if err != nil {
		return nil, err
	}
	k.cert = &tls.Certificate{Certificate: [][]byte{signed.Raw}, PrivateKey: key, Leaf: signed}
	return k.cert, nil
}

// handler hands requests on to the kubelet of a node.
func (k *kubeletClient) handler(ctx context.Context, node, path string, query url.Values) (http.Handler, error) {
	view, err := k.nodes.Get.Get(ctx, rest.Name{Name: node}, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	var of corev1.Node
	if err := rest.Read(view, &of); err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	return k.handlerOf(&of, path, func(*http.Request) string { return query.Encode() })
}

// handlerOf is handler with a node that was read, and a query that may be that of the request.
func (k *kubeletClient) handlerOf(node *corev1.Node, path string, query func(*http.Request) string) (http.Handler, error) {
	host, err := kubeletAddress(node)
	if err != nil {
		return nil, apierrors.NewServiceUnavailable(err.Error())
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		k.proxy.Handler(&url.URL{Scheme: "https", Host: host, Path: path, RawQuery: query(req)}).ServeHTTP(w, req)
	}), nil
}

// addressTypes are the addresses of a node by which its kubelet is reached, the best first.
var addressTypes = []corev1.NodeAddressType{corev1.NodeInternalIP, corev1.NodeExternalIP, corev1.NodeInternalDNS, corev1.NodeExternalDNS, corev1.NodeHostName}

// kubeletAddress is what the status of a node says, and nothing that a client sends.
func kubeletAddress(node *corev1.Node) (string, error) {
	port := kubeletPort
	if p := node.Status.DaemonEndpoints.KubeletEndpoint.Port; p > 0 {
		port = int(p)
	}
	for _, typ := range addressTypes {
		i := slices.IndexFunc(node.Status.Addresses, func(a corev1.NodeAddress) bool { return a.Type == typ && a.Address != "" })
		if i >= 0 {
			return net.JoinHostPort(node.Status.Addresses[i].Address, strconv.Itoa(port)), nil
		}
	}
	return "", fmt.Errorf("node %s has no address: its kubelet has not written its status", node.Name)
}
