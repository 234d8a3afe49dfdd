package cel

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/typeplane/typeplane/generators/internal/tag"
	"github.com/typeplane/typeplane/generators/internal/validation/cel/ast"
)

// Functions are those of CEL as Kubernetes speaks it, and its methods, without the operators. Those
// of a namespace have it in front. Behind a slash are the numbers of arguments that they take as
// functions, and behind a dot those as methods.
var Functions = functions(`
	bool/1 bytes/1 double/1 duration/1 dyn/1 int/1 string/1 timestamp/1 type/1 uint/1 size/1.0 matches/2.1
	contains/.1 endsWith/.1 startsWith/.1 charAt/.1 format/.1 indexOf/.12 join/.01 lastIndexOf/.12 lowerAscii/.0 replace/.23 split/.12
	substring/.12 trim/.0 upperAscii/.0 strings.quote/1
	getDate/.01 getDayOfMonth/.01 getDayOfWeek/.01 getDayOfYear/.01 getFullYear/.01 getHours/.01 getMilliseconds/.01 getMinutes/.01
	getMonth/.01 getSeconds/.01
	optional.none/0 optional.of/1 optional.ofNonZeroValue/1 optional.unwrap/1 hasValue/.0 or/.1 orValue/.1 unwrapOpt/.0 value/.0 first/.0
	last/.0
	distinct/.0 flatten/.01 includes/.1 lists.range/1 reverse/.0 slice/.2 sort/.0 isSorted/.0 max/.0 min/.0 sum/.0
	sets.contains/2 sets.equivalent/2 sets.intersects/2
	find/.1 findAll/.12
	getEscapedPath/.0 getHost/.0 getHostname/.0 getPort/.0 getQuery/.0 getScheme/.0 isURL/1 url/1
	family/.0 ip/1.0 ip.isCanonical/1 isGlobalUnicast/.0 isIP/1 isLinkLocalMulticast/.0 isLinkLocalUnicast/.0 isLoopback/.0
	isUnspecified/.0
	cidr/1 containsCIDR/.1 containsIP/.1 isCIDR/1 masked/.0 prefixLength/.0
	add/.1 asApproximateFloat/.0 asInteger/.0 compareTo/.1 isGreaterThan/.1 isInteger/.0 isLessThan/.1 isQuantity/1 quantity/1 sign/1
	sub/.1
	isSemver/12 major/.0 minor/.0 patch/.0 semver/12
	format.dns1035Label/0 format.dns1035LabelPrefix/0 format.dns1123Label/0 format.dns1123LabelPrefix/0 format.dns1123Subdomain/0
	format.dns1123SubdomainPrefix/0 format.labelValue/0 format.qualifiedName/0 format.named/1 format.uri/0 format.uuid/0 format.byte/0
	format.date/0 format.datetime/0 validate/.1
`)

// arity is how many arguments a function takes, and how many as a method: a digit for each number.
type arity struct{ function, method string }

// functions reads a list of functions.
func functions(text string) map[string]arity {
	out := map[string]arity{}
	for _, entry := range strings.Fields(text) {
		name, counts, _ := strings.Cut(entry, "/")
		function, method, _ := strings.Cut(counts, ".")
		out[name] = arity{function, method}
	}
	return out
}

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
		if f, ok := Functions[name]; ok {
			return cmp.Or(f.check(name, false, len(e.Args)), checkParts(&ast.Expr{}, e.Args, locals))
		}
	}
	if e.On != nil && slices.Contains(iterating, e.Name) {
		return checkMacro(e, locals)
	}
	if err := checkText(e); err != nil {
		return err
	}
	f, ok := Functions[e.Name]
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
	if near := tag.Nearest(name, slices.Sorted(maps.Keys(Functions))); near != "" {
		return fmt.Errorf("there is no function %s; did you mean %s?", name, near)
	}
	return fmt.Errorf("there is no function %s", name)
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
