package server

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds for warnings. As long as all of them together have at most maxWarnings runes they are
// sent whole. Beyond that each is cut to maxWarning, and what comes after the limit is left out.
const (
	maxWarnings = 4 << 10
	maxWarning  = 256
	// mostWarnings is how many are kept at all.
	mostWarnings = 256
)

// warn keeps a text for the client, which shows it to people.
func (c *call) warn(text string) {
	if text = cleanWarning(text); text != "" && len(c.warnings) < mostWarnings && !slices.Contains(c.warnings, text) {
		c.warnings = append(c.warnings, text)
	}
}

// sendWarnings puts the warnings into the header of an answer that is about to begin.
func (c *call) sendWarnings() {
	total := 0
	for _, text := range c.warnings {
		total += utf8.RuneCountInString(text)
	}
	cut := total > maxWarnings
	total = 0
	for _, text := range c.warnings {
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
