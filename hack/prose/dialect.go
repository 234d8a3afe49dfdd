package main

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A text without a budget, such as a new package, meets the targets. They are a little above the
// rates of net/http, go/types and k8s.io/apiserver.
const (
	targetWords = 5  // dialect words in 1,000 lines
	targetKnots = 10 // knots in 1,000 sentences
)

// dialect matches the words that describe a thing by a clause instead of its name.
var dialect = regexp.MustCompile(`(?i)\b(?:what|says|said|tells|told|nobody|somebody|whoever|of which)\b`)

// relative matches the words that begin a relative clause. A sentence with three of them is a knot.
var relative = regexp.MustCompile(`(?i)\b(?:what|which|that|who|whose|whom|where|whatever|whoever)\b`)

// tally counts the dialect in the comments of a package or in a document.
type tally struct {
	lines, sentences int
	words, knots     int
}

func (t *tally) addLines(lines []string) {
	for _, line := range lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		t.lines++
		t.words += len(dialect.FindAllString(line, -1))
	}
}

func (t *tally) addSentence(words []string) {
	t.sentences++
	if len(relative.FindAllString(strings.Join(words, " "), 3)) == 3 {
		t.knots++
	}
}

// target returns the largest counts for a text of this size without a budget. One of each is always
// allowed, because a small package may need the word.
func (t *tally) target() budget {
	return budget{words: max(1, t.lines*targetWords/1000), knots: max(1, t.sentences*targetKnots/1000)}
}

// budget is the largest number of dialect words and knots that a text may have.
type budget struct{ words, knots int }

// budgets maps packages and documents, by slash-separated paths, to their budgets.
type budgets map[string]budget

// budgetFile lists the budgets. A line is a path, its words and its knots.
const budgetFile = "hack/prose/budgets.txt"

func readBudgets(name string) (budgets, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	all := budgets{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var path string
		var b budget
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		if _, err := fmt.Sscanf(lines.Text(), "%s %d %d", &path, &b.words, &b.knots); err != nil {
			return nil, fmt.Errorf("%s: %q: want a path and two numbers: %w", name, lines.Text(), err)
		}
		all[path] = b
	}
	return all, nil
}

// exceeded returns a message for each text above its budget, sorted by path.
func (b budgets) exceeded(tallies map[string]*tally) (faults []string) {
	for _, path := range slices.Sorted(maps.Keys(tallies)) {
		t := tallies[path]
		most, ok := b[path]
		if !ok {
			most = t.target()
		}
		if t.words > most.words {
			faults = append(faults, fmt.Sprintf("%s: %d words like \"what\", \"says\", \"nobody\", at most %d: name the thing", path, t.words, most.words))
		}
		if t.knots > most.knots {
			faults = append(faults, fmt.Sprintf("%s: %d sentences with three relative words, at most %d: make two sentences", path, t.knots, most.knots))
		}
	}
	return faults
}

// lower returns the budgets after a rewrite: the present counts where they are below the budget. A
// text that meets the targets needs no budget, and a budget without a text is dropped.
func (b budgets) lower(tallies map[string]*tally) budgets {
	lowered := budgets{}
	for path, most := range b {
		t := tallies[path]
		if t == nil {
			continue
		}
		now := budget{min(t.words, most.words), min(t.knots, most.knots)}
		if target := t.target(); now.words > target.words || now.knots > target.knots {
			lowered[path] = now
		}
	}
	return lowered
}

func (b budgets) write(name string) error {
	var text strings.Builder
	text.WriteString("# The largest number of dialect words and of sentences with three relative words, for each package\n# and document above the targets. `go run ./hack/prose -lower` lowers them; nothing raises them.\n")
	for _, path := range slices.Sorted(maps.Keys(b)) {
		fmt.Fprintf(&text, "%s %d %d\n", path, b[path].words, b[path].knots)
	}
	return os.WriteFile(name, []byte(text.String()), 0o644)
}

// tallied returns the name under which a file is counted: its package, or the document itself.
// Tests are counted under no name.
func tallied(name string) string {
	switch {
	case strings.HasSuffix(name, "_test.go"):
		return ""
	case strings.HasSuffix(name, ".go"):
		return filepath.ToSlash(filepath.Dir(name))
	}
	return filepath.ToSlash(name)
}
