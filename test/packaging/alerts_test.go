package packaging

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestAlerts: Prometheus takes the alerts, and each fires on series of what is wrong and stays away
// from what is well.
func TestAlerts(t *testing.T) {
	must(t, nil, "promtool", "check", "rules", filepath.Join(deploy, "monitoring", "alerts.yaml"))
	must(t, nil, "promtool", "test", "rules", filepath.Join(deploy, "monitoring", "alerts_test.yaml"))

	var rules struct {
		Groups []struct {
			Rules []struct {
				Alert       string
				Annotations struct {
					RunbookURL string `json:"runbook_url"`
				}
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(deploy, "monitoring", "alerts.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &rules); err != nil {
		t.Fatal(err)
	}
	cases, err := os.ReadFile(filepath.Join(deploy, "monitoring", "alerts_test.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			for _, what := range []string{" fires\n", " stays away\n"} {
				if !strings.Contains(string(cases), "name: "+r.Alert+what) {
					t.Errorf("alerts_test.yaml has no case %q of %s", strings.TrimSpace(what), r.Alert)
				}
			}
			checkRunbook(t, r.Alert, r.Annotations.RunbookURL)
		}
	}
}

// checkRunbook: the page is there, and has a heading of that name.
func checkRunbook(t *testing.T, alert, url string) {
	t.Helper()
	page, anchor, _ := strings.Cut(strings.TrimPrefix(url, "https://github.com/typeplane/typeplane/blob/main/"), "#")
	text, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Errorf("%s: %v", alert, err)
	}
	for line := range strings.Lines(string(text)) {
		heading := strings.TrimLeft(strings.TrimSpace(line), "#")
		if heading != line && strings.HasPrefix(line, "#") && anchorOf(heading) == anchor {
			return
		}
	}
	t.Errorf("%s: %s has no heading #%s", alert, page, anchor)
}

// anchorOf is what a heading is linked by.
func anchorOf(heading string) string {
	words := strings.ToLower(strings.TrimSpace(heading))
	words = strings.Map(func(r rune) rune {
		if strings.ContainsRune(",.:?'`", r) {
			return -1
		}
		return r
	}, words)
	return strings.ReplaceAll(words, " ", "-")
}
