package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/program/programtest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
)

var widgets = schema.GroupVersionResource{Group: "shop.example.com", Version: "v1", Resource: "widgets"}

func TestAdmissionConfig(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "beside.yaml"), []byte("limit: 7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	configurable := program.AdmissionPlugin{Name: "Webhook"}
	configurable.Configurable = true
	on := []program.ChosenPlugin{{AdmissionPlugin: configurable}, {AdmissionPlugin: program.AdmissionPlugin{Name: "Lifecycle"}}}
	head := "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n"
	for name, tc := range map[string]struct{ text, want, fails string }{
		"embedded":             {text: head + "plugins: [{name: Webhook, path: beside.yaml, configuration: {kind: WebhookAdmission}}]", want: `{"kind":"WebhookAdmission"}`},
		"in a file":            {text: head + "plugins: [{name: Webhook, path: beside.yaml}]", want: `{"limit":7}`},
		"none":                 {text: head + "plugins: [{name: Webhook}]"},
		"no plug-ins":          {text: head},
		"another version":      {text: "apiVersion: apiserver.config.k8s.io/v2\nkind: AdmissionConfiguration\n", fails: `it is a "AdmissionConfiguration" of "apiserver.config.k8s.io/v2", want a AdmissionConfiguration of apiserver.config.k8s.io/v1`},
		"an unknown field":     {text: head + "plugin: []", fails: `unknown field "plugin"`},
		"a plug-in that takes": {text: head + "plugins: [{name: Lifecycle, configuration: {}}]", fails: "plugins[0]: Lifecycle takes no configuration"},
		"one that is not on":   {text: head + "plugins: [{name: Webhok}, {name: Quota}]", fails: "plugins[0]: there is no plug-in \"Webhok\" that is on; did you mean Webhook?\nplugins[1]: there is no plug-in \"Quota\" that is on"},
		"twice":                {text: head + "plugins: [{name: Webhook}, {name: Webhook}]", fails: "plugins[1]: Webhook is there twice"},
		"a file that is not":   {text: head + "plugins: [{name: Webhook, path: nowhere.yaml}]", fails: "nowhere.yaml: no such file"},
		"no YAML":              {text: "{", fails: "--admission-control-config-file="},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(dir, "config.yaml")
			if err := os.WriteFile(file, []byte(tc.text), 0o600); err != nil {
				t.Fatal(err)
			}
			o := program.AdmissionOptions{ConfigFile: file}
			got, err := readConfigs(&o, on)
			if tc.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tc.fails) {
					t.Errorf("%v, want %q", err, tc.fails)
				}
				return
			}
			if err != nil || string(got["Webhook"]) != tc.want {
				t.Errorf("%v %s, want %s", err, got["Webhook"], tc.want)
			}
		})
	}
	if got, err := readConfigs((&program.AdmissionOptions{}), on); err != nil || len(got) > 0 {
		t.Errorf("no file: %v %s", err, got)
	}
}

// paint makes widgets of no color green, refuses yellow ones, and panics over black ones. It reads
// what is stored.
func paint(ctx context.Context, h *program.Host, config []byte) (admission.Plugin, error) {
	if len(h.Stored) != 1 || h.Stored[0].Names()[0] != widgets.GroupResource() {
		return admission.Plugin{}, fmt.Errorf("objects: %+v", h.Stored)
	}
	kept := h.Store("/.paint/")
	if _, err := kept.Create(ctx, "/.paint/pot", []byte("full")); err != nil || h.Store("/.other/") != nil {
		return admission.Plugin{}, fmt.Errorf("keep: %w", err)
	}
	return admission.Plugin{
		Mutate: func(ctx context.Context, r *admission.Request) error {
			w := r.Object.(*widget.Widget)
			if w.Spec.Color == "blue" {
				w.Spec.Color = strings.Trim(string(config), `"`)
				r.Notes.Warn("it was painted")
				r.Notes.Annotate("shop.example.com/painted", w.Spec.Color)
			}
			return nil
		},
		Validate: func(_ context.Context, r *admission.Request) error {
			switch w := r.Object.(*widget.Widget); w.Spec.Color {
			case "yellow":
				return errors.New("we are out of it")
			case "black":
				panic("in the dark")
			}
			return nil
		},
	}, nil
}

// TestAdmissionOfAServer walks a program's own plug-in from its configuration to its metrics.
func TestAdmissionOfAServer(t *testing.T) {
	s := programtest.Widgets()
	idle := program.AdmissionPlugin{Name: "Idle", Needs: []schema.GroupVersionResource{{Version: "v1", Resource: "gadgets"}}}
	s.Admission = []program.AdmissionPlugin{idle, {Name: "Paint", Configurable: true, Needs: []schema.GroupVersionResource{widgets}, KeyPrefix: "/.paint/", New: paint}}

	// What works with a kind that is not served is no plug-in of this server, and can't be asked
	// for.
	o := program.NewOptions("widgets")
	o.Serving.SecurePort, o.Store.DataDir, o.Store.InMemory = 0, t.TempDir(), true
	o.Admission.Enable = []string{"Idle"}
	if _, err := Open(t.Context(), s, o); err == nil || err.Error() != "--enable-admission-plugins: Idle works with gadgets, which this server does not serve" {
		t.Errorf("a plug-in without its kind: %v", err)
	}

	dir := t.TempDir()
	file, log := filepath.Join(dir, "config.yaml"), filepath.Join(dir, "audit.log")
	if err := os.WriteFile(file, []byte("apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins: [{name: Paint, configuration: green}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	i, client := runningServer(t, s, func(o *program.Options) {
		o.Admission.ConfigFile, o.Audit.LogPath = file, log
	})
	post := func(color string) (code int, answer, warning string) {
		resp, err := client.Post(i.URL()+"/apis/shop.example.com/v1/namespaces/ns/widgets", "application/json",
			strings.NewReader(`{"kind":"Widget","apiVersion":"shop.example.com/v1","metadata":{"generateName":"w-"},"spec":{"color":"`+color+`"}}`))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body), resp.Header.Get("Warning")
	}
	if code, answer, warning := post("blue"); code != http.StatusCreated || !strings.Contains(answer, `"color":"green"`) || warning != `299 - "it was painted"` {
		t.Errorf("blue: %d %s %s", code, warning, answer)
	}
	if code, answer, _ := post("yellow"); code != http.StatusForbidden || !strings.Contains(answer, "is forbidden: we are out of it") {
		t.Errorf("yellow: %d %s", code, answer)
	}
	if code, answer, _ := post("black"); code != http.StatusInternalServerError || !strings.Contains(answer, "the admission plug-in Paint panicked: in the dark") || strings.Contains(answer, "admission_test.go") {
		t.Errorf("black: %d %s", code, answer)
	}

	page := getBody(t, client, i.URL()+"/metrics")
	for _, want := range []string{
		`apiserver_admission_controller_admission_duration_seconds_count{name="Paint",operation="CREATE",rejected="false",type="admit"} 3`,
		`apiserver_admission_controller_admission_duration_seconds_count{name="Paint",operation="CREATE",rejected="true",type="validate"} 2`,
		`apiserver_admission_step_admission_duration_seconds_count{operation="CREATE",rejected="false",type="validate"} 1`,
	} {
		if !strings.Contains(page, want+"\n") {
			t.Errorf("the metrics lack %s", want)
		}
	}
	// A request is logged when it is answered, or a little later.
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		events, err := os.ReadFile(log)
		if err == nil && bytes.Contains(events, []byte(`"shop.example.com/painted":"green"`)) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the audit log: %v\n%s", err, events)
		}
	}
	if names, err := program.ChoosePlugins(s, &program.AdmissionOptions{}); err != nil || !slices.ContainsFunc(names, func(p program.ChosenPlugin) bool { return p.Name == "Idle" }) {
		t.Errorf("on by default: %v, %v", names, err)
	}
}
