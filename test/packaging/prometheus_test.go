package packaging

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane/internal/testserver"
)

// patience is how long something may take that takes seconds on a machine with nothing else to do.
const patience = 5 * time.Minute

// prometheus is one that runs, scrapes a server every few seconds as the job typeplane, and judges
// the alerts each second.
type prometheus struct{ url string }

// scraped starts a Prometheus for a server. Each alert has to hold for seconds where the file says
// minutes; nothing else of it is changed.
func scraped(t *testing.T, server *testserver.Process) prometheus {
	t.Helper()
	dir := t.TempDir()
	rules, err := os.ReadFile(filepath.Join(deploy, "monitoring", "alerts.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	rules = regexp.MustCompile(`(?m)^(    for: \d+)m$`).ReplaceAll(rules, []byte("${1}s"))
	rules = regexp.MustCompile(`(?m)^(    for: \d+)h$`).ReplaceAll(rules, []byte("${1}m"))
	config := map[string]any{
		"global":     map[string]any{"scrape_interval": "4s", "evaluation_interval": "1s"},
		"rule_files": []string{write(t, dir, "alerts.yaml", rules)},
		"scrape_configs": []any{map[string]any{
			"job_name": "typeplane", "scheme": "https", "tls_config": credentials(t, dir, server.Kubeconfig),
			"static_configs": []any{map[string]any{"targets": []string{server.URL[len("https://"):]}}},
		}},
	}
	cmd := exec.Command(tool(t, "prometheus"), "--config.file", write(t, dir, "prometheus.yaml", []byte(marshal(t, config))),
		"--storage.tsdb.path", filepath.Join(dir, "data"), "--web.listen-address", "127.0.0.1:0")
	said := &saying{line: regexp.MustCompile(`msg="Listening on" address=(\S+)`), found: make(chan string, 1)}
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	var p prometheus
	select {
	case address := <-said.found:
		p.url = "http://" + address
	case <-time.After(patience):
		t.Fatalf("prometheus does not say where it listens:\n%s", said.text)
	}
	eventually(t, func() string {
		resp, err := http.Get(p.url + "/-/ready")
		if err != nil {
			return err.Error()
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return resp.Status
		}
		return ""
	})
	return p
}

// saying waits for a line in what a program says.
type saying struct {
	line  *regexp.Regexp
	found chan string

	mu   sync.Mutex // guards text
	text []byte
}

func (s *saying) Write(data []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = append(s.text, data...)
	if m := s.line.FindSubmatch(s.text); m != nil {
		select {
		case s.found <- string(m[1]):
		default:
		}
	}
	return len(data), nil
}

// credentials is the tls_config of the user of a kubeconfig.
func credentials(t *testing.T, dir, kubeconfig string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Clusters []struct {
			Cluster struct {
				CA         string `json:"certificate-authority-data"`
				ServerName string `json:"tls-server-name"`
			}
		}
		Users []struct {
			User struct {
				Cert string `json:"client-certificate-data"`
				Key  string `json:"client-key-data"`
			}
		}
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	decoded := func(name, data string) string {
		pem, err := base64.StdEncoding.DecodeString(data)
		if err != nil {
			t.Fatal(err)
		}
		return write(t, dir, name, pem)
	}
	cluster, user := file.Clusters[0].Cluster, file.Users[0].User
	return map[string]any{"ca_file": decoded("ca.crt", cluster.CA), "server_name": cluster.ServerName, "cert_file": decoded("tls.crt", user.Cert), "key_file": decoded("tls.key", user.Key)}
}

// write makes a file, and returns its path.
func write(t *testing.T, dir, name string, data []byte) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// ask gets the data of an answer of the HTTP API.
func (p prometheus) ask(t *testing.T, path string, parameters url.Values, data any) {
	t.Helper()
	resp, err := http.Get(p.url + "/api/v1/" + path + "?" + parameters.Encode())
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer := struct {
		Status, Error string
		Data          any
	}{Data: data}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || answer.Status != "success" {
		t.Fatalf("%s %v: %s %s %v", path, parameters, answer.Status, answer.Error, err)
	}
}

// series is what came of an expression for one set of labels.
type series struct {
	Metric map[string]string
	Values []point
}

// point is a value at a time.
type point struct{ at, value float64 }

// UnmarshalJSON reads the two in brackets.
func (p *point) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &[]any{&p.at, &text}); err != nil {
		return err
	}
	value, err := strconv.ParseFloat(text, 64)
	p.value = value
	return err
}

// last is the last value that is a number.
func (s series) last() (value float64, ok bool) {
	for i := len(s.Values) - 1; i >= 0; i-- {
		if v := s.Values[i].value; !math.IsNaN(v) && !math.IsInf(v, 0) {
			return v, true
		}
	}
	return 0, false
}

// lately is what came of an expression at each second of the last minute. Series without a number
// are left out: nobody sees them.
func (p prometheus) lately(t *testing.T, expression string) []series {
	t.Helper()
	now := time.Now()
	var answer struct{ Result []series }
	p.ask(t, "query_range", url.Values{"query": {expression}, "step": {"1"}, "start": {fmt.Sprint(now.Add(-time.Minute).Unix())}, "end": {fmt.Sprint(now.Unix())}}, &answer)
	var shown []series
	for _, s := range answer.Result {
		if _, ok := s.last(); ok {
			shown = append(shown, s)
		}
	}
	return shown
}

// eventually calls what until it says nothing more; what it says last is the error.
func eventually(t *testing.T, what func() string) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(500 * time.Millisecond) {
		said := what()
		if said == "" {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("after %s: %s", patience, said)
		}
	}
}
