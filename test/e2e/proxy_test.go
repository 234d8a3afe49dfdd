package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// TestProxy reads one autoscaler in its three versions over plain HTTP, through `kubectl proxy`:
// one stored object, in the words of each version.
func TestProxy(t *testing.T) {
	s := startProgram(t, "cluster", t.TempDir())
	defer s.stop(syscall.SIGTERM)
	for _, args := range []string{"create -f examples/cluster/samples/rc.yaml", "autoscale rc rcex --min=2 --max=5 --cpu=80%"} {
		if out, err := s.kubectl(t, strings.Fields(args)...); err != nil {
			t.Fatalf("kubectl %s: %v\n%s", args, err, out)
		}
	}
	url := startProxy(t, s)
	identities := map[string]bool{}
	for version, want := range map[string]string{
		"extensions/v1beta1": `"scaleRef":{"kind":"ReplicationController","name":"rcex","apiVersion":"v1","subresource":"scale"},"minReplicas":2,"maxReplicas":5,"cpuUtilization":{"targetPercentage":80}`,
		"autoscaling/v1":     `"scaleTargetRef":{"kind":"ReplicationController","name":"rcex","apiVersion":"v1"},"minReplicas":2,"maxReplicas":5,"targetCPUUtilizationPercentage":80`,
		"autoscaling/v2":     `"metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":80}}}]`,
	} {
		resp, err := http.Get(url + "/apis/" + version + "/namespaces/default/horizontalpodautoscalers/rcex")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(body), want) {
			t.Errorf("%s: %d %v\n%s\nwant in it\n%s", version, resp.StatusCode, err, body, want)
		}
		var object struct {
			Metadata struct{ UID, ResourceVersion string }
		}
		if err := json.Unmarshal(body, &object); err != nil {
			t.Fatal(err)
		}
		identities[fmt.Sprint(object.Metadata)] = true
	}
	if len(identities) != 1 {
		t.Errorf("the versions differ in uid or resourceVersion: %v", identities)
	}
}

// startProxy runs `kubectl proxy` until the test ends, and returns its address.
func startProxy(t *testing.T, s *server) string {
	t.Helper()
	cmd := exec.Command(kubectlPath(t), "proxy", "--port=0")
	cmd.Env = kubectlEnv(t, s)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	address := regexp.MustCompile(`127\.0\.0\.1:\d+`).FindString(line)
	if address == "" {
		t.Fatalf("kubectl proxy says %q (%v)", line, err)
	}
	return "http://" + address
}
