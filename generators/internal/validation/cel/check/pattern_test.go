package check_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/generators/internal/validation/cel/ast"
	"github.com/typeplane/typeplane/generators/internal/validation/cel/check"
)

// TestPattern: the bounds are those of module cel, a test of which has written the file.
func TestPattern(t *testing.T) {
	text, err := os.ReadFile("testdata/patterns.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		quoted, fits, _ := strings.Cut(line, "\t")
		pattern, err := strconv.Unquote(quoted)
		if err != nil {
			t.Fatal(err)
		}
		if err := check.Pattern(pattern); (err == nil) != (fits == "true") {
			t.Errorf("%.60s: %v, and module cel accepts it: %s", quoted, err, fits)
		}
	}
}

// TestPatterns: a literal pattern is found wherever it stands.
func TestPatterns(t *testing.T) {
	for rule, wrong := range map[string]bool{
		"self.matches('(a{1000}){20}')":                           true,
		"matches(self, '(a{1000}){20}')":                          true,
		"self.find('(a{1000}){20}') == ''":                        true,
		"[self].all(x, x.findAll('(a{1000}){20}', 1).size() > 0)": true,
		"{'a': self.find('(')}['a'] == ''":                        true,
		"'(a{1000}){20}'.matches(self)":                           false,
		"self.matches('^[a-z]{1,63}$')":                           false,
		"self.matches(self + '(')":                                false,
	} {
		e, err := ast.Parse(rule)
		if err != nil {
			t.Fatal(err)
		}
		if err := check.Patterns(e); (err != nil) != wrong {
			t.Errorf("%s: %v", rule, err)
		}
	}
}
