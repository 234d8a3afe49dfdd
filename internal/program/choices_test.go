package program

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestChoices: what is offered is what is taken, and nothing else is.
func TestChoices(t *testing.T) {
	s := Server{Name: "library", APIs: []API{{Virtual: []string{"reviews"}, Controllers: []string{"review-controller"}}}, Admission: []AdmissionPlugin{{Name: "Plugin"}}}
	refused := func(flag, value string) bool {
		line, err := ParseLine(s, []string{"--" + flag + "=" + value}, nil, noHelp)
		if err != nil {
			return true
		}
		_, _, unserved := Join(s, line.Options.API.Enable)
		_, unknown := ChoosePlugins(s, &line.Options.Admission)
		err = Validate(s, line.Options)
		return unserved != nil || unknown != nil || err != nil && strings.Contains(err.Error(), "--"+flag)
	}
	few := 0
	fs, _ := NewFlags(s)
	fs.VisitAll(func(f *pflag.Flag) {
		choices := Choices(s, f)
		if len(choices) == 0 || f.Value.Type() == "bool" {
			return
		}
		few++
		if !refused(f.Name, "nonsense") {
			t.Errorf("--%s=nonsense is taken, and offered are %q", f.Name, choices)
		}
		for _, choice := range choices {
			if refused(f.Name, choice) {
				t.Errorf("--%s=%s is offered and refused", f.Name, choice)
			}
		}
	})
	if few < 10 {
		t.Errorf("%d flags have few values", few)
	}
}
