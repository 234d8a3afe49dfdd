// Package users gives people credentials at a running server, lists these, and revokes them.
//
// A credential is a client certificate. Its key is made here and never sent. As everybody does, the
// caller asks the server to sign by a CertificateSigningRequest, and then approves it. So the
// caller needs the rights for that; the administrator of a server has them. Role bindings say what
// a user may do. Start reading at Add.
package users

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/typeplane/typeplane/internal/delegated"
	"github.com/typeplane/typeplane/internal/wait"
)

const (
	requestsPath = "apis/certificates.k8s.io/v1/certificatesigningrequests"
	recordsPath  = "apis/auth.typeplane.io/v1alpha1/credentials"
	rbacPath     = "apis/rbac.authorization.k8s.io/v1"
	// maxList bounds a list, in bytes.
	maxList = 64 << 20
	// signPatience is how long the server may take to sign.
	signPatience = 30 * time.Second
)

// The longest and the shortest time for which a server signs.
const (
	MinValid = 10 * time.Minute
	MaxValid = 365 * 24 * time.Hour
)

// User is whom a credential is for, and for how long.
type User struct {
	Name   string
	Groups []string
	Valid  time.Duration
}

// Bind binds a user to a ClusterRole, in all namespaces. Who is bound already stays so. A role that
// is not there is an error: a binding to it would do nothing, without a word.
func Bind(ctx context.Context, c *delegated.Client, user, role string) error {
	if _, err := c.Get(ctx, rbacPath+"/clusterroles/"+url.PathEscape(role), nil, maxList); err != nil {
		if delegated.NotFound(err) {
			return fmt.Errorf("there is no ClusterRole %q: kubectl get clusterroles shows which there are", role)
		}
		return err
	}
	b := binding{TypeMeta: metav1.TypeMeta{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "ClusterRoleBinding"}}
	b.Name = "user:" + user + ":" + role
	b.RoleRef = reference{"rbac.authorization.k8s.io", "ClusterRole", role}
	b.Subjects = []reference{{"rbac.authorization.k8s.io", "User", user}}
	var made binding
	err := c.Send(ctx, http.MethodPost, rbacPath+"/clusterrolebindings", nil, b, &made)
	if !delegated.Conflict(err) {
		return err
	}
	if err := c.Send(ctx, http.MethodGet, rbacPath+"/clusterrolebindings/"+url.PathEscape(b.Name), nil, nil, &made); err != nil {
		return err
	}
	if made.RoleRef != b.RoleRef || !slices.Equal(made.Subjects, b.Subjects) {
		return fmt.Errorf("the ClusterRoleBinding %s is there and says something else: delete it first, or bind the user by kubectl create clusterrolebinding", b.Name)
	}
	return nil
}

// binding is a ClusterRoleBinding, as far as it is needed here.
type binding struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	RoleRef           reference   `json:"roleRef"`
	Subjects          []reference `json:"subjects"`
}

type reference struct {
	APIGroup string `json:"apiGroup"`
	Kind     string `json:"kind"`
	Name     string `json:"name"`
}

// Issued is a new credential, in PEM.
type Issued struct {
	Cert, Key []byte
	NotAfter  time.Time
}

// request is a CertificateSigningRequest, as far as it is needed here.
type request struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Request           []byte   `json:"request"`
		SignerName        string   `json:"signerName"`
		ExpirationSeconds int64    `json:"expirationSeconds"`
		Usages            []string `json:"usages"`
	} `json:"spec"`
	Status struct {
		Conditions  []condition `json:"conditions,omitempty"`
		Certificate []byte      `json:"certificate,omitempty"`
	} `json:"status"`
}

type condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// Add has the server sign a certificate for a new key.
func Add(ctx context.Context, c *delegated.Client, u User) (*Issued, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	asked, err := newRequest(key, u)
	if err != nil {
		return nil, err
	}
	if err := c.Send(ctx, http.MethodPost, requestsPath, nil, asked, asked); err != nil {
		return nil, served("certificatesigningrequests", err)
	}
	path := requestsPath + "/" + url.PathEscape(asked.Name)
	asked.Status.Conditions = []condition{{Type: "Approved", Status: "True", Reason: "UserAdded", Message: "who adds a user approves the request"}}
	if err := c.Send(ctx, http.MethodPut, path+"/approval", nil, asked, asked); err != nil {
		return nil, fmt.Errorf("approve the request %s: %w", asked.Name, err)
	}
	if err := signed(ctx, c, path, asked); err != nil {
		return nil, err
	}
	return issued(asked.Status.Certificate, key)
}

func newRequest(key *ecdsa.PrivateKey, u User) (*request, error) {
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: u.Name, Organization: u.Groups}}, key)
	if err != nil {
		return nil, err
	}
	r := &request{TypeMeta: metav1.TypeMeta{APIVersion: "certificates.k8s.io/v1", Kind: "CertificateSigningRequest"}}
	r.GenerateName = "user-"
	r.Spec.Request = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der})
	r.Spec.SignerName, r.Spec.Usages = "kubernetes.io/kube-apiserver-client", []string{"digital signature", "client auth"}
	r.Spec.ExpirationSeconds = int64(u.Valid / time.Second)
	return r, nil
}

// signed waits until the server has answered a request.
func signed(ctx context.Context, c *delegated.Client, path string, r *request) error {
	ctx, cancel := context.WithTimeout(ctx, signPatience)
	defer cancel()
	for len(r.Status.Certificate) == 0 {
		for _, c := range r.Status.Conditions {
			if c.Type == "Failed" {
				return fmt.Errorf("the server does not sign: %s", c.Message)
			}
		}
		if wait.Sleep(ctx, 20*time.Millisecond) != nil {
			return fmt.Errorf("the server has not signed the request %s in %s: what does its log say?", r.Name, signPatience)
		}
		*r = request{}
		if err := c.Send(ctx, http.MethodGet, path, nil, nil, r); err != nil {
			return err
		}
	}
	return nil
}

func issued(certPEM []byte, key *ecdsa.PrivateKey) (*Issued, error) {
	block, _ := pem.Decode(certPEM)
	if block == nil {
		return nil, errors.New("what the server has signed is no certificate in PEM")
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return &Issued{Cert: certPEM, Key: pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), NotAfter: cert.NotAfter}, nil
}

// Record is what the server knows of a credential: a Credential, as far as it is needed here.
type Record struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		ID       string      `json:"id"`
		Username string      `json:"username"`
		Groups   []string    `json:"groups,omitempty"`
		NotAfter metav1.Time `json:"notAfter"`
		Revoked  bool        `json:"revoked,omitempty"`
	} `json:"spec"`
}

// List returns the records of all users, or of one.
func List(ctx context.Context, c *delegated.Client, name string) ([]Record, error) {
	query := url.Values{}
	if name != "" {
		query.Set("fieldSelector", fields.OneTermEqualSelector("spec.username", name).String())
	}
	text, err := c.Get(ctx, recordsPath, query, maxList)
	if err != nil {
		return nil, served("credentials", err)
	}
	var list struct{ Items []Record }
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	return list.Items, nil
}

// Revoke has the server refuse every credential of a user, and returns how many are newly revoked.
func Revoke(ctx context.Context, c *delegated.Client, name string) (revoked int, err error) {
	records, err := List(ctx, c, name)
	if err != nil {
		return 0, err
	}
	if len(records) == 0 {
		return 0, fmt.Errorf("no credential of %q is known: user list shows which are", name)
	}
	for i := range records {
		r := &records[i]
		if r.Spec.Revoked {
			continue
		}
		r.Spec.Revoked, r.ResourceVersion, r.ManagedFields = true, "", nil
		r.APIVersion, r.Kind = "auth.typeplane.io/v1alpha1", "Credential"
		if err := c.Send(ctx, http.MethodPut, recordsPath+"/"+url.PathEscape(r.Name), nil, r, r); err != nil {
			return revoked, fmt.Errorf("revoke %s: %w", r.Name, err)
		}
		revoked++
	}
	return revoked, nil
}

// served says what to do where the server has no such resource.
func served(resource string, err error) error {
	if delegated.NotFound(err) {
		return fmt.Errorf("the server does not serve %s, which users are made with: start it with them in --enable-api, or give its program team.APIs()", resource)
	}
	return err
}
