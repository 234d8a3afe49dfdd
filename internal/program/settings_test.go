package program

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
	"sigs.k8s.io/yaml"
)

// configFile is a file with a text.
func configFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestSourcesHaveAnOrder: flag, environment, file, default.
func TestSourcesHaveAnOrder(t *testing.T) {
	file := configFile(t, "secure-port: 1\nbind-address: 10.0.0.1\netcd-prefix: /file\netcd-servers: [https://a:1, https://b:1]\nwatch-cache: false\n")
	line, err := ParseLine(Server{Name: "my-library"}, []string{"--secure-port=3", "--config", file},
		[]string{"MY_LIBRARY_SECURE_PORT=2", "MY_LIBRARY_ETCD_PREFIX=/environment", "HOME=/x", "MY_LIBRARY_EDITION=2"}, noHelp)
	if err != nil {
		t.Fatal(err)
	}
	o := line.Options
	if o.Serving.SecurePort != 3 || o.Store.EtcdPrefix != "/environment" || o.Serving.BindAddress != "10.0.0.1" || o.Store.WatchCache || o.Store.MediaType != mediaTypeProtobuf {
		t.Errorf("%+v", o)
	}
	if diff := cmp.Diff([]string{"https://a:1", "https://b:1"}, o.Store.EtcdServers); diff != "" {
		t.Error(diff)
	}
	for flag, want := range map[string]string{
		"secure-port": "flag", "etcd-prefix": "environment MY_LIBRARY_ETCD_PREFIX", "bind-address": "file " + file, "storage-media-type": "default",
	} {
		if line.sources[flag] != want {
			t.Errorf("%s: %s, want %s", flag, line.sources[flag], want)
		}
	}
	// The file itself can be named by the environment.
	line, err = ParseLine(Server{Name: "library"}, nil, []string{"LIBRARY_CONFIG=" + file}, noHelp)
	if err != nil || line.Options.Serving.SecurePort != 1 {
		t.Errorf("%v %+v", err, line)
	}
}

// TestEveryFlagHasItsSources walks all the flags: each must take its own default, and a wrong value
// where there is one, from the environment and from a file.
func TestEveryFlagHasItsSources(t *testing.T) {
	fs, _ := NewFlags(Server{Name: "library"})
	variables := map[string]string{}
	fs.VisitAll(func(f *pflag.Flag) {
		name := Variable("library", f.Name)
		if other := variables[name]; other != "" {
			t.Errorf("--%s and --%s are the same variable, %s", f.Name, other, name)
		}
		variables[name] = f.Name
		if rest := strings.TrimPrefix(name, "LIBRARY_"); serviceLink.MatchString(rest) {
			t.Errorf("%s is what Kubernetes gives pods for a Service called library", name)
		}
		if f.Hidden || !isSetting(f.Name) {
			return
		}
		text, err := valueText(f.Value)
		if err != nil {
			t.Fatal(err)
		}
		file := configFile(t, f.Name+": "+text+"\n")
		plain := strings.Trim(f.Value.String(), "[]")
		for source, sources := range map[string]struct{ args, environ []string }{
			"file " + file:        {args: []string{"--config=" + file}},
			"environment " + name: {environ: []string{name + "=" + plain}},
			"flag":                {args: []string{"--" + f.Name + "=" + plain}},
		} {
			line, err := ParseLine(Server{Name: "library"}, sources.args, sources.environ, noHelp)
			if err != nil {
				t.Errorf("--%s from %s: %v", f.Name, source, err)
				continue
			}
			if line.sources[f.Name] != source {
				t.Errorf("--%s comes from %q, want %q", f.Name, line.sources[f.Name], source)
			}
			if got := line.flags.Lookup(f.Name).Value.String(); got != f.Value.String() {
				t.Errorf("--%s from %s is %q, want %q", f.Name, source, got, f.Value.String())
			}
		}
		switch f.Value.Type() {
		case "string", "stringSlice", "stringArray": // every text is one
			return
		}
		for _, wrong := range []struct{ args, environ []string }{
			{args: []string{"--config=" + configFile(t, f.Name+": wrong\n")}}, {environ: []string{name + "=wrong"}},
		} {
			if _, err := ParseLine(Server{Name: "library"}, wrong.args, wrong.environ, noHelp); err == nil || !strings.Contains(err.Error(), f.Name) {
				t.Errorf("--%s=wrong from %+v: %v", f.Name, wrong, err)
			}
		}
	})
}

func TestSettingsRefuse(t *testing.T) {
	for text, want := range map[string]string{
		"secure-prt: 1":                   "did you mean secure-port?",
		"kubeconfig: x":                   "kubeconfig: there is no such flag",
		"config: x":                       "not for this file",
		"print-config: true":              "not for this file",
		"version: true":                   "not for this file",
		"secure-port: [1]":                "want one value",
		"secure-port: {a: 1}":             "want a text",
		"secure-port:":                    "want a text",
		"etcd-servers: [[a]]":             "single values",
		"- a":                             "want a mapping",
		"secure-port: 1\nsecure-port: 2":  "secure-port",
		"storage-backend: etcd2":          `"etcd2" is not supported`,
		"secure-prt: 1\nbind-adress: ::1": "did you mean bind-address?",
	} {
		if _, err := ParseLine(Server{Name: "library"}, []string{"--config", configFile(t, text)}, nil, noHelp); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := parse(Server{Name: "library"}, []string{"--config=/nonexistent"}); err == nil || !strings.Contains(err.Error(), "--config") {
		t.Errorf("no file: %v", err)
	}
	_, err := ParseLine(Server{Name: "library"}, nil, []string{"LIBRARY_SECURE_PRT=1"}, noHelp)
	if err == nil || !strings.Contains(err.Error(), "did you mean LIBRARY_SECURE_PORT?") {
		t.Errorf("environment: %v", err)
	}
	links := []string{"LIBRARY_SERVICE_HOST=10.0.0.1", "LIBRARY_SERVICE_PORT=443", "LIBRARY_SERVICE_PORT_HTTPS=443", "LIBRARY_PORT=tcp://10.0.0.1:443", "LIBRARY_PORT_443_TCP=tcp://10.0.0.1:443"}
	if _, err := ParseLine(Server{Name: "library"}, nil, links, noHelp); err != nil {
		t.Errorf("in a pod beside a Service of this name: %v", err)
	}
}

// TestPrintConfig: what is printed has every flag and its source, and is a file that says the same.
func TestPrintConfig(t *testing.T) {
	t.Setenv("WIDGETS_ETCD_PREFIX", "/elsewhere")
	t.Setenv("WIDGETS_VERSION", "v0.3.1") // of somebody's image, and no setting
	printed, err := ParseLine(Server{Name: "widgets"}, []string{"--print-config", "--secure-port=0", "--etcd-servers=https://a:1,https://b:1"}, os.Environ(), noHelp)
	if err != nil || !printed.Print {
		t.Fatalf("%+v, %v", printed, err)
	}
	var first bytes.Buffer
	if err := printed.PrintConfig(&first); err != nil {
		t.Fatal(err)
	}
	out := first.String()
	for _, want := range []string{"secure-port: 0 # flag\n", "etcd-prefix: \"/elsewhere\" # environment WIDGETS_ETCD_PREFIX\n", "watch-cache: true # default\n", `etcd-servers: ["https://a:1","https://b:1"] # flag`} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	fs, _ := NewFlags(Server{Name: "widgets"})
	fs.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && isSetting(f.Name) && !strings.Contains("\n"+out, "\n"+f.Name+": ") {
			t.Errorf("--%s is missing", f.Name)
		}
	})
	line, err := ParseLine(Server{Name: "widgets"}, []string{"--config", configFile(t, out)}, nil, noHelp)
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if err := line.PrintConfig(&again); err != nil {
		t.Fatal(err)
	}
	values := func(text string) (m map[string]any) {
		if err := yaml.Unmarshal([]byte(text), &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	if diff := cmp.Diff(values(out), values(again.String())); diff != "" {
		t.Error(diff)
	}
}
