package features_test

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/typeplane/typeplane"
)

// authorities returns the ConfigMap with the server's authorities, when it is there and has what it
// should.
func (c client) authorities(namespace string, fine func(*corev1.ConfigMap) bool) *corev1.ConfigMap {
	c.t.Helper()
	cm := new(corev1.ConfigMap)
	eventually(c.t, "there is no kube-root-ca.crt in "+namespace+" as it should be", func() bool {
		code, answer := c.do("GET", namespaces+"/"+namespace+"/configmaps/kube-root-ca.crt", "")
		cm = new(corev1.ConfigMap)
		return code == 200 && json.Unmarshal([]byte(answer), cm) == nil && fine(cm)
	})
	return cm
}

// TestRootCA: every namespace has the authority of the server, that of administrators' kubeconfig,
// whatever somebody does to it.
func TestRootCA(t *testing.T) {
	c := start(t)
	ours := func(cm *corev1.ConfigMap) bool {
		return len(cm.Data) == 1 && len(cm.BinaryData) == 0 && cm.Data["ca.crt"] != "" &&
			strings.Contains(string(c.Kubeconfig), base64.StdEncoding.EncodeToString([]byte(cm.Data["ca.crt"])))
	}
	c.authorities("kube-system", ours)
	c.want(201, "", "POST", namespaces, `{"metadata":{"name":"room"}}`)
	first := c.authorities("room", ours)

	const path = namespaces + "/room/configmaps/kube-root-ca.crt"
	c.want(200, "", "PATCH", path, `{"data":{"ca.crt":"somebody else's","more":"x"},"binaryData":{"b":"AA=="},"metadata":{"labels":{"mine":"yes"}}}`)
	if mended := c.authorities("room", ours); mended.UID != first.UID || mended.Labels["mine"] != "yes" {
		t.Errorf("it was not mended, but made anew: %v", mended.ObjectMeta)
	}
	c.want(200, "", "DELETE", path, "")
	if again := c.authorities("room", ours); again.UID == first.UID {
		t.Error("it was not deleted")
	}
	c.want(201, "", "POST", namespaces+"/room/configmaps", `{"metadata":{"name":"another"},"data":{"ca.crt":"x"}}`)

	// A namespace whose quota is used up gets it as soon as there is room, and keeps no other
	// waiting.
	c.want(201, "", "POST", namespaces+"/room/resourcequotas", `{"metadata":{"name":"q"},"spec":{"hard":{"configmaps":"1"}}}`)
	c.want(200, "", "DELETE", path, "")
	c.want(201, "", "POST", namespaces, `{"metadata":{"name":"hall"}}`)
	c.authorities("hall", ours)
	c.want(404, "", "GET", path, "")
	c.want(200, "", "DELETE", namespaces+"/room/configmaps/another", "")
	c.authorities("room", ours)

	c.want(200, "", "DELETE", namespaces+"/room", "")
	c.until(404, "", namespaces+"/room")
}

// TestRootCAFile: what the operator says counts, and an old one gives way to it.
func TestRootCAFile(t *testing.T) {
	dir := t.TempDir()
	here := func(o *typeplane.Options) { o.Store.DataDir, o.Store.InMemory = filepath.Join(dir, "data"), false }
	var own string
	t.Run("own", func(t *testing.T) {
		own = start(t, here).authorities("default", func(cm *corev1.ConfigMap) bool { return cm.Data["ca.crt"] != "" }).Data["ca.crt"]
	})
	t.Run("operator's", func(t *testing.T) {
		file := filepath.Join(dir, "ca.pem")
		if err := os.WriteFile(file, []byte("# ours\n"+own), 0o600); err != nil {
			t.Fatal(err)
		}
		c := start(t, here, func(o *typeplane.Options) { o.Authentication.RootCAFile = file })
		c.authorities("default", func(cm *corev1.ConfigMap) bool { return cm.Data["ca.crt"] == "# ours\n"+own })
	})
}
