package serviceaccount_test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/internal/features/servertest"
)

// authorities returns the ConfigMap with the server's authorities, when it is there and has what it
// should.
func authorities(t *testing.T, c servertest.Client, namespace string, fine func(*corev1.ConfigMap) bool) *corev1.ConfigMap {
	t.Helper()
	cm := new(corev1.ConfigMap)
	servertest.Eventually(t, "there is no kube-root-ca.crt in "+namespace+" as it should be", func() bool {
		code, answer := c.Do("GET", servertest.Namespaces+"/"+namespace+"/configmaps/kube-root-ca.crt", "")
		cm = new(corev1.ConfigMap)
		return code == 200 && json.Unmarshal([]byte(answer), cm) == nil && fine(cm)
	})
	return cm
}

// TestRootCA: every namespace has the authority of the server, that of administrators' kubeconfig,
// whatever somebody does to it.
func TestRootCA(t *testing.T) {
	c := servertest.Start(t)
	ours := func(cm *corev1.ConfigMap) bool {
		return len(cm.Data) == 1 && len(cm.BinaryData) == 0 && cm.Data["ca.crt"] != "" &&
			strings.Contains(string(c.Kubeconfig), base64.StdEncoding.EncodeToString([]byte(cm.Data["ca.crt"])))
	}
	authorities(t, c, "kube-system", ours)
	c.Want(201, "", "POST", servertest.Namespaces, `{"metadata":{"name":"room"}}`)
	first := authorities(t, c, "room", ours)

	const path = servertest.Namespaces + "/room/configmaps/kube-root-ca.crt"
	c.Want(200, "", "PATCH", path, `{"data":{"ca.crt":"somebody else's","more":"x"},"binaryData":{"b":"AA=="},"metadata":{"labels":{"mine":"yes"}}}`)
	if mended := authorities(t, c, "room", ours); mended.UID != first.UID || mended.Labels["mine"] != "yes" {
		t.Errorf("it was not mended, but made anew: %v", mended.ObjectMeta)
	}
	c.Want(200, "", "DELETE", path, "")
	if again := authorities(t, c, "room", ours); again.UID == first.UID {
		t.Error("it was not deleted")
	}
	c.Want(201, "", "POST", servertest.Namespaces+"/room/configmaps", `{"metadata":{"name":"another"},"data":{"ca.crt":"x"}}`)

	// A namespace whose quota is used up gets it as soon as there is room, and keeps no other
	// waiting.
	c.Want(201, "", "POST", servertest.Namespaces+"/room/resourcequotas", `{"metadata":{"name":"q"},"spec":{"hard":{"configmaps":"1"}}}`)
	c.Want(200, "", "DELETE", path, "")
	c.Want(201, "", "POST", servertest.Namespaces, `{"metadata":{"name":"hall"}}`)
	authorities(t, c, "hall", ours)
	c.Want(404, "", "GET", path, "")
	c.Want(200, "", "DELETE", servertest.Namespaces+"/room/configmaps/another", "")
	authorities(t, c, "room", ours)

	c.Want(200, "", "DELETE", servertest.Namespaces+"/room", "")
	c.Until(404, "", servertest.Namespaces+"/room")
}

// TestRootCAFile: what the operator says counts, and an old one gives way to it.
func TestRootCAFile(t *testing.T) {
	dir := t.TempDir()
	here := func(o *typeplane.Options) { o.Store.DataDir, o.Store.InMemory = filepath.Join(dir, "data"), false }
	var own string
	t.Run("own", func(t *testing.T) {
		own = authorities(t, servertest.Start(t, here), "default", func(cm *corev1.ConfigMap) bool { return cm.Data["ca.crt"] != "" }).Data["ca.crt"]
	})
	t.Run("operator's", func(t *testing.T) {
		file := filepath.Join(dir, "ca.pem")
		if err := os.WriteFile(file, []byte("# ours\n"+own), 0o600); err != nil {
			t.Fatal(err)
		}
		c := servertest.Start(t, here, func(o *typeplane.Options) { o.Authentication.RootCAFile = file })
		authorities(t, c, "default", func(cm *corev1.ConfigMap) bool { return cm.Data["ca.crt"] == "# ours\n"+own })
	})
}

// TestLeftToOthers: what a kube-controller-manager beside the server makes, the server does not.
func TestLeftToOthers(t *testing.T) {
	c := servertest.Start(t, func(o *typeplane.Options) {
		o.API.DisableControllers = []string{"serviceaccount-controller", "root-ca-certificate-publisher-controller"}
	})
	c.Want(201, "", "POST", servertest.Namespaces, `{"metadata":{"name":"room"}}`)
	c.Want(201, "", "POST", servertest.Namespaces, `{"metadata":{"name":"hall"}}`)
	c.Want(200, "", "DELETE", servertest.Namespaces+"/hall", "")
	c.Until(404, "", servertest.Namespaces+"/hall") // the loops of the server have begun
	for _, path := range []string{"/default/serviceaccounts/default", "/room/serviceaccounts/default", "/default/configmaps/kube-root-ca.crt", "/room/configmaps/kube-root-ca.crt"} {
		c.Want(404, "", "GET", servertest.Namespaces+path, "")
	}
}
