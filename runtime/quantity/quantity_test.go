package quantity

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	for _, text := range []string{
		"1e1000", "1e-1000", "1E+1000", "1e0001", "0e2000000000", "1e-2000000000", "1.5e2000000000", "e1 1e1000", `"1e1000"`, ` " 1e1000 " `,
		strings.Repeat("1", maxCharacters+1),
	} {
		if Check(text) == nil || Check([]byte(text)) == nil {
			t.Errorf("%.20q is good", text)
		}
	}
	for _, text := range []string{"", "1", "-1.5", "100m", "1E", "1Ei", "10000E", "1e999", "1E+999", "1e-999", `"1e999"`, "e 1000", "1000e-", "memory1000"} {
		if err := Check(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}
