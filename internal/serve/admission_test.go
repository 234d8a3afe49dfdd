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

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
)

var widgets = schema.GroupVersionResource{Group: "shop.example.com", Version: "v1", Resource: "widgets"}

// pluginNamed is a plug-in that does nothing.
func pluginNamed(name string) AdmissionPlugin {
	return AdmissionPlugin{Name: name, New: func(context.Context, *Host, []byte) (admission.Plugin, error) { return admission.Plugin{}, nil }}
}

// withPlugins has plug-ins of two APIs and of its own, some last, and one that is off.
func withPlugins() Server {
	s := widgetServer()
	last, off, ownLast := pluginNamed("Quota"), pluginNamed("Strict"), pluginNamed("Policy")
	last.Last, off.Off, ownLast.Last = true, true, true
	s.APIs = []API{{Admission: []AdmissionPlugin{pluginNamed("Lifecycle"), last}}, {Admission: []AdmissionPlugin{off}}}
	s.Admission = []AdmissionPlugin{ownLast, pluginNamed("Shop")}
	return s
}

func TestChosenPlugins(t *testing.T) {
	for _, tc := range []struct {
		args, want string
		fails      []string
	}{
		{want: "Lifecycle Shop Policy Quota"},
		{args: "--enable-admission-plugins=Strict", want: "Lifecycle Strict! Shop Policy Quota"},
		{args: "--enable-admission-plugins=Quota,Strict", want: "Lifecycle Strict! Shop Policy Quota!"},
		{args: "--disable-admission-plugins=Quota,Lifecycle,Strict", want: "Shop Policy"},
		{args: "--enable-admission-plugins=Strict --disable-admission-plugins=Shop", want: "Lifecycle Strict! Policy Quota"},
		{args: "--admission-control=Quota,Strict,Lifecycle", want: "Quota! Strict! Lifecycle!"},
		{args: "--enable-admission-plugins=Strickt", fails: []string{`--enable-admission-plugins: there is no plug-in "Strickt"; did you mean Strict?`}},
		{args: "--disable-admission-plugins=AlwaysPullImages --admission-control=Shops", fails: []string{
			`--disable-admission-plugins: there is no plug-in "AlwaysPullImages"; choose of Lifecycle, Strict, Shop, Policy, Quota`,
			`--admission-control: there is no plug-in "Shops"; did you mean Shop?`,
			`--admission-control names all plug-ins that are on: leave it out, or --enable-admission-plugins and --disable-admission-plugins`,
		}},
		{args: "--enable-admission-plugins=Shop --disable-admission-plugins=Shop", fails: []string{"--enable-admission-plugins and --disable-admission-plugins: both name Shop"}},
		{args: "--admission-control=Shop,Quota,Shop", fails: []string{"--admission-control: Shop is there twice"}},
	} {
		t.Run(tc.args, func(t *testing.T) {
			o, err := parse(withPlugins(), strings.Fields(tc.args))
			if err != nil {
				t.Fatal(err)
			}
			chosen, unknown := withPlugins().chosenPlugins(&o.Admission)
			if err := errors.Join(o.Validate(), unknown); len(tc.fails) > 0 || err != nil {
				for _, want := range tc.fails {
					if err == nil || !strings.Contains(err.Error(), want) {
						t.Errorf("%v, want %q", err, want)
					}
				}
				if len(tc.fails) == 0 {
					t.Error(err)
				}
				return
			}
			var got []string
			for _, p := range chosen {
				got = append(got, p.Name+map[bool]string{true: "!"}[p.named != ""])
			}
			if diff := cmp.Diff(strings.Fields(tc.want), got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	twice := withPlugins()
	twice.Admission = append(twice.Admission, pluginNamed("Quota"))
	if _, err := twice.chosenPlugins(&AdmissionOptions{}); err == nil || !strings.Contains(err.Error(), "two admission plug-ins called Quota") {
		t.Errorf("two of one name: %v", err)
	}
}

// The flags are there for programs with plug-ins, and no others; --print-config shows them and what
// is wrong with them.
func TestAdmissionFlags(t *testing.T) {
	if _, err := parse(widgetServer(), []string{"--disable-admission-plugins=Shop"}); err == nil {
		t.Error("a program without plug-ins has flags for them")
	}
	var out bytes.Buffer
	err := run(t.Context(), withPlugins(), []string{"--print-config", "--disable-admission-plugins=Shop,Quot", "--admission-control-config-file=a.yaml"}, console{out: &out, err: io.Discard})
	if err == nil || !strings.Contains(err.Error(), "did you mean Quota?") {
		t.Errorf("a name that is wrong: %v", err)
	}
	for _, want := range []string{"\nenable-admission-plugins: [] # default\n", "\ndisable-admission-plugins: [\"Shop\",\"Quot\"] # flag\n", "\nadmission-control: [] # default\n", "\nadmission-control-config-file: \"a.yaml\" # flag\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("nothing of %q in\n%s", want, out.String())
		}
	}
}

func TestAdmissionConfig(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "beside.yaml"), []byte("limit: 7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	configurable := pluginNamed("Webhook")
	configurable.Configurable = true
	on := []chosenPlugin{{configurable, ""}, {pluginNamed("Lifecycle"), ""}}
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
			o := AdmissionOptions{ConfigFile: file}
			got, err := o.configs(on)
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
	if got, err := (&AdmissionOptions{}).configs(on); err != nil || len(got) > 0 {
		t.Errorf("no file: %v %s", err, got)
	}
}

// paint makes widgets of no color green, refuses yellow ones, and panics over black ones. It reads
// what is stored.
func paint(ctx context.Context, h *Host, config []byte) (admission.Plugin, error) {
	if len(h.Objects) != 1 || h.Objects[0].Names()[0] != widgets.GroupResource() {
		return admission.Plugin{}, fmt.Errorf("objects: %+v", h.Objects)
	}
	kept := h.Kept("/.paint/")
	if _, err := kept.Create(ctx, "/.paint/pot", []byte("full")); err != nil || h.Kept("/.other/") != nil {
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
	s := widgetServer()
	idle := pluginNamed("Idle")
	idle.Needs = []schema.GroupVersionResource{{Version: "v1", Resource: "gadgets"}}
	s.Admission = []AdmissionPlugin{idle, {Name: "Paint", Configurable: true, Needs: []schema.GroupVersionResource{widgets}, Keeps: "/.paint/", New: paint}}

	// What works with a kind that is not served is no plug-in of this server, and can't be asked
	// for.
	o := NewOptions("widgets")
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
	i, client := runningServer(t, s, func(o *Options) {
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
	if names := i.plugins; !slices.ContainsFunc(names, func(p chosenPlugin) bool { return p.Name == "Idle" }) {
		t.Errorf("on by default: %v", names)
	}
}
