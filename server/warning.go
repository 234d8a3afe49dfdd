package server

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds for warnings: as long as all of them together have at most maxWarnings runes they are sent whole, beyond
// that each is cut to maxWarning, and what comes after the limit is left out.
const (
	maxWarnings = 4 << 10
	maxWarning  = 256
)

// warn sends a warning for each error. Clients show them to people.
func (c *call) warn(errs []error) {
	texts := make([]string, 0, len(errs))
	seen := map[string]bool{}
	total := 0
	for _, err := range errs {
		text := cleanWarning(err.Error())
		if text == "" || seen[text] {
			continue
		}
		seen[text] = true
		texts = append(texts, text)
		total += utf8.RuneCountInString(text)
	}
	cut := total > maxWarnings
	total = 0
	for _, text := range texts {
		if cut {
			text = firstRunes(text, maxWarning)
		}
		total += utf8.RuneCountInString(text)
		if total > maxWarnings {
			return
		}
		c.w.Header().Add("Warning", `299 - "`+quoted.Replace(text)+`"`)
	}
}

var quoted = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// cleanWarning leaves nothing that would break a header.
func cleanWarning(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case r == utf8.RuneError || unicode.IsControl(r):
			return -1
		}
		return r
	}, text))
}

func firstRunes(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}
