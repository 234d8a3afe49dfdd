package check

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"github.com/typeplane/typeplane/generators/internal/validation/cel/ast"
)

// Bounds of module cel, which panics at the start of a program for a literal pattern beyond them. A
// test of that module writes testdata/patterns.txt, with which a test here compares.
const (
	maxPattern     = 10_000    // bytes
	maxProgram     = 10_000    // instructions of the compiled program
	maxPatternWork = 1_000_000 // units of parseWork
)

// Patterns returns an error if a literal regular expression in e is not valid or exceeds a bound of
// module cel.
func Patterns(e *ast.Expr) error {
	if pattern := patternOf(e); pattern != nil && pattern.Op == ast.Text {
		if err := Pattern(pattern.Text); err != nil {
			return fmt.Errorf("the regular expression %.60q %w", pattern.Text, err)
		}
	}
	if e.On != nil {
		if err := Patterns(e.On); err != nil {
			return err
		}
	}
	for _, arg := range e.Args {
		if err := Patterns(arg); err != nil {
			return err
		}
	}
	return nil
}

// patternOf returns the argument of a call that is a regular expression, nil if there is none.
func patternOf(e *ast.Expr) *ast.Expr {
	method := e.Op == ast.Call && e.On != nil && (e.Name == "matches" || e.Name == "find" || e.Name == "findAll")
	switch {
	case method && len(e.Args) > 0:
		return e.Args[0]
	case e.Op == ast.Call && e.On == nil && e.Name == "matches" && len(e.Args) == 2:
		return e.Args[1]
	}
	return nil
}

// Pattern returns an error if a regular expression is not valid or exceeds a bound of module cel.
func Pattern(text string) error {
	if len(text) > maxPattern {
		return fmt.Errorf("must have at most %d bytes", maxPattern)
	}
	if parseWork(text) > maxPatternWork {
		return errors.New("must not have so many classes of Unicode characters")
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return fmt.Errorf("is not valid: %w", err)
	}
	if instructions(parsed) > maxProgram {
		return fmt.Errorf("must have at most %d instructions with its repetitions written out", maxProgram)
	}
	return nil
}

// parseWork is that of module cel.
func parseWork(text string) int {
	const table, foldedRange = 600, 60_000
	work := len(text) + table*(strings.Count(text, `\p`)+strings.Count(text, `\P`))
	if !strings.Contains(text, "(?") {
		return work
	}
	ranges := strings.Count(text, `-\x{`)
	for at, char := range text {
		if char >= utf8.RuneSelf && at > 0 && text[at-1] == '-' {
			ranges++
		}
	}
	return work + foldedRange*ranges
}

// instructions is that of module cel.
func instructions(re *syntax.Regexp) int {
	size := 0
	for _, sub := range re.Sub {
		size = min(size+instructions(sub), maxProgram+1)
	}
	switch re.Op {
	case syntax.OpLiteral:
		size = len(re.Rune)
	case syntax.OpCapture, syntax.OpStar:
		size += 2
	case syntax.OpPlus, syntax.OpQuest:
		size++
	case syntax.OpAlternate:
		size += len(re.Sub) - 1
	case syntax.OpRepeat:
		switch {
		case re.Max >= 0:
			size = re.Max*size + re.Max - re.Min
		case re.Min == 0:
			size += 2
		default:
			size = 1 + re.Min*size
		}
	}
	return min(max(size, 1), maxProgram+1)
}
