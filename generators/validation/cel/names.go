package cel

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/typeplane/typeplane/generators/tag"
	"github.com/typeplane/typeplane/generators/validation/cel/ast"
)

// Functions are those of CEL as Kubernetes speaks it, and its methods, without the operators. Those
// of a namespace have it in front.
var Functions = strings.Fields(`
	bool bytes double duration dyn int string timestamp type uint size matches
	contains endsWith startsWith charAt format indexOf join lastIndexOf lowerAscii replace split substring trim upperAscii strings.quote
	getDate getDayOfMonth getDayOfWeek getDayOfYear getFullYear getHours getMilliseconds getMinutes getMonth getSeconds
	optional.none optional.of optional.ofNonZeroValue optional.unwrap hasValue or orValue unwrapOpt value first last
	distinct flatten includes lists.range reverse slice sort isSorted max min sum
	sets.contains sets.equivalent sets.intersects
	find findAll
	getEscapedPath getHost getHostname getPort getQuery getScheme isURL url
	family ip ip.isCanonical isGlobalUnicast isIP isLinkLocalMulticast isLinkLocalUnicast isLoopback isUnspecified
	cidr containsCIDR containsIP isCIDR masked prefixLength
	add asApproximateFloat asInteger compareTo isGreaterThan isInteger isLessThan isQuantity quantity sign sub
	isSemver major minor patch semver
	format.dns1035Label format.dns1035LabelPrefix format.dns1123Label format.dns1123LabelPrefix format.dns1123Subdomain
	format.dns1123SubdomainPrefix format.labelValue format.qualifiedName format.named format.uri format.uuid format.byte
	format.date format.datetime validate
`)

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
	if e.On != nil && e.On.Op == ast.Var && !slices.Contains(locals, e.On.Name) && slices.Contains(Functions, e.On.Name+"."+e.Name) {
		return checkParts(&ast.Expr{}, e.Args, locals)
	}
	if e.On != nil && slices.Contains(iterating, e.Name) {
		return checkMacro(e, locals)
	}
	if err := checkText(e); err != nil {
		return err
	}
	if !slices.Contains(Functions, e.Name) && !slices.Contains(macros, e.Name) {
		err := fmt.Errorf("there is no function %s", e.Name)
		if near := tag.Nearest(e.Name, Functions); near != "" {
			err = fmt.Errorf("%w; did you mean %s?", err, near)
		}
		return err
	}
	return checkParts(e, e.Args, locals)
}

// checkText reads a text that is written down, as the function does that it is for.
func checkText(e *ast.Expr) (err error) {
	if len(e.Args) != 1 || e.Args[0].Op != ast.Text {
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
