package program

import (
	"strings"
	"testing"
)

// TestDisableControllers: a name that means nothing is refused, with what could be meant.
func TestDisableControllers(t *testing.T) {
	s := Server{Name: "library", APIs: []API{{Controllers: []string{"namespace-controller"}}, {Controllers: []string{"thing-controller"}}}}
	for name, want := range map[string]string{
		"namespace-controller":         "",
		"thing-controller":             "",
		"namespaces-controller":        "did you mean namespace-controller?",
		"garbage-collector-controller": "say --garbage-collector=beside",
		"x":                            "choose of namespace-controller, thing-controller",
	} {
		line, err := ParseLine(s, []string{"--disable-controllers=" + name}, nil, noHelp)
		if err == nil {
			err = Validate(s, line.Options)
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}
