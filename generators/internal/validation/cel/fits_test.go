package cel

import (
	"os"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/generators/internal/validation/cel/ast"
	"github.com/typeplane/typeplane/generators/internal/validation/cel/check"
)

// TestFits: for each function and operator, and a value of each type at each place, the answer is
// that of cel-go, which a test of module cel has written down.
func TestFits(t *testing.T) {
	text, err := os.ReadFile("check/testdata/fits.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	values, tried := strings.Split(lines[0], "\t"), 0
	for _, line := range lines[1:] {
		template, fits, _ := strings.Cut(line, "\t")
		for i, value := range values {
			rule := strings.ReplaceAll(template, "X", "("+value+")")
			e, err := ast.Parse(rule)
			if err != nil {
				t.Fatalf("%s: %v", rule, err)
			}
			if err = checkNames(e, nil); err == nil {
				err = check.Types(e, "bool", false)
			}
			if (err == nil) != (fits[i] == '1') {
				t.Errorf("%s: %v, and cel-go says %c", rule, err, fits[i])
			}
			tried++
		}
	}
	if tried < 10_000 {
		t.Errorf("only %d rules were tried", tried)
	}
}
