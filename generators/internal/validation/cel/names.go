package cel

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/typeplane/typeplane/generators/internal/tag"
	"github.com/typeplane/typeplane/generators/internal/validation/cel/ast"
	"github.com/typeplane/typeplane/generators/internal/validation/cel/check"
)

// arity is how many arguments a function takes, and how many as a method: a digit for each number.
type arity struct{ function, method string }

// functions are those of CEL as Kubernetes speaks it, and its methods. Those of a namespace have it
// in front.
var functions = sync.OnceValue(func() map[string]arity {
	out := map[string]arity{}
	for name, counts := range check.Arity() {
		bare, method := strings.CutPrefix(name, ".")
		if bare == "in" || strings.ContainsAny(bare[:1], "_@!-") {
			continue // an operator
		}
		a := out[bare]
		if method {
			a.method = counts
		} else {
			a.function = counts
		}
		out[bare] = a
	}
	return out
})

// check says what is wrong with a call of so many arguments.
func (a arity) check(name string, method bool, args int) error {
	counts, form := a.function, name+"(…)"
	if method {
		counts, form = a.method, "value."+name+"(…)"
	}
	switch {
	case counts == "" && method:
		return fmt.Errorf("%s is no method: write %s(…)", name, name)
	case counts == "":
		return fmt.Errorf("%s is a method: write value.%s(…)", name, name)
	case !strings.Contains(counts, strconv.Itoa(args)):
		return fmt.Errorf("the number of arguments of %s is %d, and must be %s", form, args, strings.Join(strings.Split(counts, ""), " or "))
	}
	return nil
}

// macros are written like functions or methods. Those with variables have one or two.
var (
	macros    = []string{"has", "optMap", "optFlatMap", "sortBy"}
	iterating = []string{"all", "exists", "exists_one", "existsOne", "filter", "map", "optMap", "optFlatMap", "sortBy", "transformList", "transformMap", "transformMapEntry"}
)

// known names are variables beside those of macros, and types.
var knownNames = strings.Fields(`self oldSelf bool bytes double dyn int list map null_type optional_type string type uint google net kubernetes`)

// checkNames finds functions and variables that there are not, and texts that can't be read as what
// they are for: an expression with one means nothing, whoever evaluates it. locals are the
// variables of macros around it.
func checkNames(e *ast.Expr, locals []string) error {
	switch e.Op {
	case ast.Var:
		if !slices.Contains(knownNames, e.Name) && !slices.Contains(locals, e.Name) {
			return fmt.Errorf("%s is not known, only self and oldSelf are", e.Name)
		}
		return nil
	case ast.Call:
		return checkCall(e, locals)
	}
	return checkParts(e, e.Args, locals)
}

// checkParts checks what a field, method or index belongs to, and operands and arguments.
func checkParts(e *ast.Expr, args []*ast.Expr, locals []string) error {
	if e.On != nil {
		if err := checkNames(e.On, locals); err != nil {
			return err
		}
	}
	for _, arg := range args {
		if err := checkNames(arg, locals); err != nil {
			return err
		}
	}
	return nil
}

func checkCall(e *ast.Expr, locals []string) error {
	if e.On != nil && e.On.Op == ast.Var && !slices.Contains(locals, e.On.Name) {
		name := e.On.Name + "." + e.Name
		if f, ok := functions()[name]; ok {
			return cmp.Or(f.check(name, false, len(e.Args)), checkParts(&ast.Expr{}, e.Args, locals))
		}
	}
	if e.On != nil && slices.Contains(iterating, e.Name) {
		return checkMacro(e, locals)
	}
	if err := checkText(e); err != nil {
		return err
	}
	f, ok := functions()[e.Name]
	switch {
	case ok:
		if err := f.check(e.Name, e.On != nil, len(e.Args)); err != nil {
			return err
		}
	case !slices.Contains(macros, e.Name):
		return noFunction(e.Name)
	}
	return checkParts(e, e.Args, locals)
}

func noFunction(name string) error {
	if near := tag.Nearest(name, slices.Sorted(maps.Keys(functions()))); near != "" {
		return fmt.Errorf("there is no function %s; did you mean %s?", name, near)
	}
	return fmt.Errorf("there is no function %s", name)
}

// checkText reads a text that is written down, as the function does that it is for.
func checkText(e *ast.Expr) (err error) {
	if len(e.Args) != 1 || e.Args[0].Op != ast.Text && !isNull(e.Args[0]) {
		return nil
	}
	text, source := e.Args[0].Text, e.Args[0].Source
	switch {
	case e.Name == "matches":
		if _, err = regexp.Compile(text); err != nil {
			return fmt.Errorf("%q is no regular expression: %w", text, err)
		}
	case e.On == nil && e.Name == "duration":
		if _, err = time.ParseDuration(text); err != nil {
			return fmt.Errorf("%s is no duration, like '1h30m'", source)
		}
	case e.On == nil && e.Name == "timestamp":
		if _, err = time.Parse(time.RFC3339, text); err != nil {
			return fmt.Errorf("%s is no timestamp, like '2026-01-31T12:00:00Z'", source)
		}
	}
	return nil
}

// checkMacro checks a macro over the items of a list or map: its first arguments are names of
// variables, and the others see them.
func checkMacro(e *ast.Expr, locals []string) error {
	if len(e.Args) < 2 || len(e.Args) > 4 || len(e.Args) == 4 && !strings.HasPrefix(e.Name, "transform") {
		return fmt.Errorf("%s: want it as in %s(item, …)", e.Source, e.Name)
	}
	names := 0
	for names < len(e.Args)-1 && names < 2 && e.Args[names].Op == ast.Var && (names == 0 || !slices.Contains(locals, e.Args[names].Name) && !slices.Contains(knownNames, e.Args[names].Name)) {
		names++
	}
	inner := slices.Clone(locals)
	for _, v := range e.Args[:names] {
		inner = append(inner, v.Name)
	}
	if err := checkNames(e.On, locals); err != nil {
		return err
	}
	return checkParts(&ast.Expr{}, e.Args[names:], inner)
}
