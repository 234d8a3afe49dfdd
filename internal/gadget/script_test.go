package gadget

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/admission"
	v1 "github.com/typeplane/typeplane/internal/gadget/v1"
	"github.com/typeplane/typeplane/runtime"
)

var update = flag.Bool("update", false, "write testdata/*.txt anew; read the diff")

// A script is requests, each with what is answered: the code, and of JSON what does not differ from
// run to run. A request begins with ">", its headers with ">>", its body is what follows. Each
// script has a server of its own, with a cache and without.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		for _, cached := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/cache=%v", filepath.Base(file), cached), func(t *testing.T) {
				t.Parallel()
				script, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				c := serve(t, func(o *typeplane.Options) { o.Store.WatchCache = cached })
				got := c.run(string(script))
				if *update && cached {
					if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				} else if diff := cmp.Diff(string(script), got); diff != "" {
					t.Errorf("run with -update and read the diff (-want +got)\n%s", diff)
				}
			})
		}
	}
}

// run carries out a script, and returns it as it should be.
func (c client) run(script string) string {
	var out strings.Builder
	var request, headers, body []string
	send := func() {
		if request == nil {
			return
		}
		code, answer, header := c.do(request[0], request[1], strings.Join(body, "\n"), headers...)
		fmt.Fprintf(&out, "< %d%s\n", code, warnings(header["Warning"]))
		out.WriteString(c.stable(answer))
		request, headers, body = nil, nil, nil
	}
	for line := range strings.Lines(script) {
		text := strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(text, ">> "):
			name, value, _ := strings.Cut(text[3:], ": ")
			headers = append(headers, name, value)
		case strings.HasPrefix(text, "> "):
			request = strings.SplitN(text[2:], " ", 2)
		case strings.HasPrefix(text, "<"):
			send()
			continue
		case strings.HasPrefix(text, "  ") || text == "" && request == nil || strings.HasPrefix(text, "#"):
			if strings.HasPrefix(text, "  ") {
				continue // of an answer
			}
		case request != nil:
			body = append(body, text)
		}
		if text == "" {
			send()
		}
		out.WriteString(line)
	}
	send()
	return out.String()
}

func warnings(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return " " + strings.Join(texts, " ")
}

// stable are the lines of an answer that do not differ from run to run.
func (c client) stable(answer string) string {
	var out strings.Builder
	for line := range strings.Lines(answer) {
		var object map[string]any
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber()
		if d.Decode(&object) != nil {
			fmt.Fprintf(&out, "  %q\n", line)
			continue
		}
		mask(object)
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.Encode(object)
		fmt.Fprintf(&out, "  %s", b.String())
	}
	return out.String()
}

// mask takes out what differs.
func mask(value any) {
	switch value := value.(type) {
	case map[string]any:
		for _, name := range []string{"uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "time", runtime.LosslessAnnotation} {
			if _, ok := value[name].(string); ok {
				delete(value, name)
			}
		}
		if value["kind"] == "Gadget" && value["spec"] != nil {
			delete(value, "kind")
			delete(value, "namespace")
		}
		if entries, ok := value["managedFields"].([]any); ok {
			value["managedFields"] = shortOwners(entries)
		}
		for _, inner := range value {
			mask(inner)
		}
	case []any:
		for _, item := range value {
			mask(item)
		}
	}
}

// shortOwners shows who owns what.
func shortOwners(entries []any) map[string]any {
	owners := map[string]any{}
	for _, e := range entries {
		e := e.(map[string]any)
		name := fmt.Sprint(e["manager"], " ", e["operation"])
		if e["subresource"] != nil {
			name += fmt.Sprint(" ", e["subresource"])
		}
		owners[name] = e["fieldsV1"]
	}
	return owners
}

// meddler is an admission plug-in that does to a gadget what its annotation "do" says, as webhooks
// and the like do to objects.
func meddler(context.Context, *typeplane.Host, []byte) (admission.Plugin, error) {
	return admission.Plugin{
		Wants: func(r *admission.Request) bool { return r.Resource.Resource == "gadgets" && r.Subresource == "" },
		Mutate: func(_ context.Context, r *admission.Request) error {
			g, ok := r.Object.(*v1.Gadget)
			if !ok {
				return nil
			}
			for what := range strings.FieldsSeq(g.Annotations["do"]) {
				meddle(&g.Spec, what)
			}
			return nil
		},
	}, nil
}

func meddle(s *v1.GadgetSpec, what string) {
	switch what {
	case "paint":
		s.Color = "green"
	case "first-step":
		s.Steps = slices.Insert(s.Steps, 0, v1.Step{Name: "first", Timeout: &metav1.Duration{Duration: time.Second}})
	case "no-first-step":
		s.Steps = slices.Delete(s.Steps, 0, 1)
	case "args":
		for i := range s.Steps {
			s.Steps[i].Args = append(s.Steps[i].Args, "-v")
		}
	case "label":
		s.Template.Labels = map[string]string{"a": "b"}
	case "no-period":
		s.Period = nil
	case "louder":
		s.Loud = !s.Loud
	}
}
