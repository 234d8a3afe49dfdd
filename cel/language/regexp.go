package language

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
)

// Bounds of a regular expression. CEL can't interrupt a function, so each call is bounded before it
// is made. A kube-apiserver has no such bounds.
const (
	maxPattern     = 10_000     // bytes
	maxProgram     = 10_000     // instructions of the compiled program
	maxPatternWork = 1_000_000  // units of parseWork, of 100 ns each
	maxMatchWork   = 50_000_000 // instructions times bytes of the string, of 5 ns each
)

// pattern is a compiled regular expression.
type pattern struct {
	*regexp.Regexp
	size int64 // instructions of its program
}

func newPattern(text string) (*pattern, error) {
	size, err := programSize(text)
	if err != nil {
		return nil, err
	}
	compiled, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	return &pattern{compiled, size}, nil
}

// programSize returns the number of instructions of the program of a regular expression, without
// compiling it. It returns an error if the expression is not valid or exceeds a bound.
func programSize(text string) (int64, error) {
	if len(text) > maxPattern {
		return 0, fmt.Errorf("a regular expression must have at most %d bytes", maxPattern)
	}
	if parseWork(text) > maxPatternWork {
		return 0, errors.New("a regular expression must not have so many classes of Unicode characters")
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return 0, err
	}
	size := instructions(parsed)
	if size > maxProgram {
		return 0, fmt.Errorf("a regular expression must have at most %d instructions with its repetitions written out", maxProgram)
	}
	return size, nil
}

// parseWork estimates the time that parsing a regular expression takes. Most bytes count once. The
// classes of Unicode are long tables, and a range that ignores case is folded character by
// character.
func parseWork(text string) int64 {
	const table, foldedRange = 600, 60_000
	work := int64(len(text)) + table*int64(strings.Count(text, `\p`)+strings.Count(text, `\P`))
	if !strings.Contains(text, "(?") {
		return work
	}
	ranges := strings.Count(text, `-\x{`)
	for at, char := range text {
		if char >= utf8.RuneSelf && at > 0 && text[at-1] == '-' {
			ranges++
		}
	}
	return work + foldedRange*int64(ranges)
}

// instructions is the number of instructions that regexp/syntax compiles an expression to, as its
// parser estimates it. It stops counting above maxProgram.
func instructions(re *syntax.Regexp) int64 {
	size := int64(0)
	for _, sub := range re.Sub {
		size = min(size+instructions(sub), maxProgram+1)
	}
	switch re.Op {
	case syntax.OpLiteral:
		size = int64(len(re.Rune))
	case syntax.OpCapture, syntax.OpStar:
		size += 2
	case syntax.OpPlus, syntax.OpQuest:
		size++
	case syntax.OpAlternate:
		size += int64(len(re.Sub)) - 1
	case syntax.OpRepeat:
		switch {
		case re.Max >= 0:
			size = int64(re.Max)*size + int64(re.Max-re.Min)
		case re.Min == 0:
			size += 2
		default:
			size = 1 + int64(re.Min)*size
		}
	}
	return min(max(size, 1), maxProgram+1)
}

// call is a call of matches, find or findAll. Its arguments are the string, the pattern, and for
// findAll possibly the number of matches.
func (p *pattern) call(function string, args []ref.Val) ref.Val {
	text, ok := args[0].(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(args[0])
	}
	work := p.work(text)
	if work > maxMatchWork {
		return tooLarge(function)
	}
	switch function {
	case overloads.Matches:
		return types.Bool(p.MatchString(string(text)))
	case "find":
		return types.String(p.FindString(string(text)))
	}
	wanted := types.Int(-1)
	if len(args) == 3 {
		if wanted, ok = args[2].(types.Int); !ok {
			return types.MaybeNoSuchOverloadErr(args[2])
		}
	}
	// Each match can have read the string to its end.
	most := int(maxMatchWork / work)
	limit := most + 1
	if wanted >= 0 && wanted <= types.Int(most) {
		limit = int(wanted)
	}
	found := p.FindAllString(string(text), limit)
	if len(found) > most {
		return tooLarge(function)
	}
	return types.NewStringList(types.DefaultTypeAdapter, found)
}

// work is the cost of reading a string once.
func (p *pattern) work(text types.String) int64 { return p.size * int64(len(text)+1) }

func tooLarge(function string) ref.Val {
	return types.NewErr("the arguments of %s are too large: the string has too many bytes for this regular expression", function)
}

// computed returns the implementation of a function for a pattern that is not a literal.
func computed(function string) func(args ...ref.Val) ref.Val {
	return func(args ...ref.Val) ref.Val {
		text, ok := args[1].(types.String)
		if !ok {
			return types.MaybeNoSuchOverloadErr(args[1])
		}
		p, err := newPattern(string(text))
		if err != nil {
			return types.WrapErr(err)
		}
		return p.call(function, args)
	}
}

// regexpOverloads are the overloads that take a regular expression, with their functions.
var regexpOverloads = map[string]string{
	overloads.Matches: overloads.Matches, overloads.MatchesString: overloads.Matches,
	"string_find_string": "find", "string_find_all_string": "findAll", "string_find_all_string_int": "findAll",
}

// literals are the program sizes of the patterns that an expression has as literals. They are
// compiled once, with the expression.
type literals map[string]int64

func (l literals) optimizations() (all []*interpreter.RegexOptimization) {
	for overload, function := range regexpOverloads {
		all = append(all, &interpreter.RegexOptimization{Function: function, OverloadID: overload, RegexIndex: 1, Factory: l.compile})
	}
	return all
}

func (l literals) compile(call interpreter.InterpretableCall, text string) (interpreter.InterpretableCall, error) {
	p, err := newPattern(text)
	if err != nil {
		return nil, err
	}
	l[text] = p.size
	return interpreter.NewCall(call.ID(), call.Function(), call.OverloadID(), call.Args(), func(args ...ref.Val) ref.Val {
		return p.call(call.Function(), args)
	}), nil
}

// literalPatterns validates the patterns of matches that are literals.
type literalPatterns struct{}

func (literalPatterns) Name() string { return "typeplane.validator.matches" }

func (literalPatterns) Validate(_ *cel.Env, _ cel.ValidatorConfig, a *ast.AST, issues *cel.Issues) {
	for _, e := range ast.MatchDescendants(ast.NavigateAST(a), ast.FunctionMatcher(overloads.Matches)) {
		args := e.AsCall().Args()
		if len(args) == 0 || args[len(args)-1].Kind() != ast.LiteralKind {
			continue
		}
		last := args[len(args)-1]
		if text, ok := last.AsLiteral().Value().(string); ok {
			if _, err := programSize(text); err != nil {
				issues.ReportErrorAtID(last.ID(), "invalid matches argument: %v", err)
			}
		}
	}
}
