package credential_test

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/features"
	"github.com/typeplane/typeplane/internal/certtest"
	"github.com/typeplane/typeplane/internal/features/servertest"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/memory"
)

const (
	requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
	records  = "/apis/auth.typeplane.io/v1alpha1/credentials"
	whoami   = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
)

// replicas are servers of one database and one authority.
type replicas struct {
	db  *memory.Database
	dir string
}

func newReplicas(t *testing.T) *replicas {
	return &replicas{memory.NewDatabase(), t.TempDir()}
}

// start starts one more.
func (r *replicas) start(t *testing.T) servertest.Client {
	t.Helper()
	program := typeplane.Server{Name: "plane", APIs: features.All()}
	program.Storage = func(context.Context, typeplane.StorageConfig) (storage.Backend, error) {
		return storage.Backend{Name: "memory", Shared: true, Open: func(root string, form storage.Form) storage.Interface {
			return memory.New(memory.Config{Database: r.db, Root: root, Form: form})
		}}, nil
	}
	return servertest.StartProgram(t, program, func(o *typeplane.Options) { o.Store.DataDir = r.dir })
}

// user gives out a certificate, and returns the name of its record and its owner.
func user(t *testing.T, c servertest.Client, name string) (record string, key *ecdsa.PrivateKey, certificate []byte) {
	t.Helper()
	key = certtest.NewKey(t)
	body := `{"metadata":{"name":%q},"spec":{"request":%q,"signerName":"kubernetes.io/kube-apiserver-client","usages":["client auth"]}}`
	c.Want(201, "", "POST", requests, fmt.Sprintf(body, name, base64.StdEncoding.EncodeToString(certtest.Request(t, key, name, "readers"))))
	c.Want(200, "", "PUT", requests+"/"+name+"/approval", fmt.Sprintf(`{"metadata":{"name":%q},"status":{"conditions":[{"type":"Approved","status":"True"}]}}`, name))
	c.Until(200, `"certificate":"`, requests+"/"+name)
	var list struct {
		Items []struct{ Metadata struct{ Name string } }
	}
	answer := c.Want(200, "", "GET", records+"?fieldSelector=spec.username%3D"+name, "")
	if err := json.Unmarshal([]byte(answer), &list); err != nil || len(list.Items) != 1 {
		t.Fatalf("%v, records of %s: %s", err, name, answer)
	}
	return list.Items[0].Metadata.Name, key, c.Certificate(requests + "/" + name)
}

// mayRead lets the group readers read leases, and waits for each server to know it.
func mayRead(t *testing.T, users ...servertest.Client) {
	t.Helper()
	const roles = "/apis/rbac.authorization.k8s.io/v1/clusterrole"
	c := users[0]
	c.Want(201, "", "POST", roles+"s", `{"metadata":{"name":"reader"},"rules":[{"apiGroups":["coordination.k8s.io"],"resources":["leases"],"verbs":["list","watch"]}]}`)
	c.Want(201, "", "POST", roles+"bindings", `{"metadata":{"name":"reader"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"reader"},"subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"Group","name":"readers"}]}`)
	for _, u := range users[1:] {
		u.Until(200, "", leases)
	}
}

const leases = "/apis/coordination.k8s.io/v1/leases"

// watch begins to watch leases and returns what is closed when that ends.
func watch(t *testing.T, c servertest.Client) <-chan struct{} {
	t.Helper()
	resp, err := c.Client.Get(c.URL + leases + "?watch=1")
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("watch: %s", resp.Status)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer resp.Body.Close()
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		}
	}()
	return ended
}

// TestRevoke: who is revoked is refused by every replica, on connections that are open; what they
// watch ends, and what others watch does not. After a restart it is still so.
func TestRevoke(t *testing.T) {
	r := newReplicas(t)
	first, second := r.start(t), r.start(t)
	record, key, certificate := user(t, first, "ann")
	_, bobsKey, bobs := user(t, first, "bob")
	ann := []servertest.Client{first.As(key, certificate), second.As(key, certificate)}
	bob := second.As(bobsKey, bobs)
	mayRead(t, first, ann[0], ann[1], bob)
	watches := []<-chan struct{}{watch(t, ann[0]), watch(t, ann[1])}
	others := watch(t, bob)

	first.Want(200, `"revoked":true`, "PATCH", records+"/"+record, `{"spec":{"revoked":true}}`)
	for n, ended := range watches {
		select {
		case <-ended:
		case <-time.After(time.Minute):
			t.Errorf("the watch at replica %d goes on", n)
		}
		ann[n].Want(401, "Unauthorized", "POST", whoami, "{}")
	}
	bob.Want(201, "", "POST", whoami, "{}")
	select {
	case <-others:
		t.Error("the watch of somebody else has ended")
	default:
	}
	third := r.start(t)
	third.As(key, certificate).Want(401, "Unauthorized", "POST", whoami, "{}")
	third.As(bobsKey, bobs).Want(201, "", "POST", whoami, "{}")
}

// TestRecordStays: what is revoked stays so, and its record stays for as long as it matters.
func TestRecordStays(t *testing.T) {
	c := servertest.Start(t)
	record, key, certificate := user(t, c, "ann")
	c.Want(422, "only revoked can change", "PATCH", records+"/"+record, `{"spec":{"username":"bob"}}`)
	ann := c.As(key, certificate)
	ann.Want(201, "", "POST", whoami, "{}")
	c.Want(200, `"revoked":true`, "DELETE", records+"/"+record, "")
	ann.Refused(whoami)
	c.Want(200, "deletionTimestamp", "GET", records+"/"+record, "")
	c.Want(422, "what is revoked stays so", "PATCH", records+"/"+record, `{"spec":{"revoked":false}}`)
	for field, spec := range map[string]string{
		"spec.id: Required": `"username":"a","notAfter":"2100-01-01T00:00:00Z"`, "spec.username: Required": `"id":"a","notAfter":"2100-01-01T00:00:00Z"`,
		"spec.notAfter: Required": `"id":"a","username":"a"`,
	} {
		c.Want(422, field, "POST", records, `{"metadata":{"name":"x"},"spec":{`+spec+`}}`)
	}
	if table := c.Table(records); !strings.Contains(table, `"ann"`) || !strings.Contains(table, `true`) {
		t.Error(table)
	}
	// One that has ended goes.
	c.Want(201, "", "POST", records, `{"metadata":{"name":"old"},"spec":{"id":"X509SHA256=00","username":"a","notAfter":"2020-01-01T00:00:00Z"}}`)
	c.Want(200, "", "DELETE", records+"/old", "")
	c.Want(404, "", "GET", records+"/old", "")
}
