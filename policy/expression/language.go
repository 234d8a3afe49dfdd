package expression

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/cel/library"

	"github.com/typeplane/typeplane/cel/language"
)

// The variables of expressions.
const (
	objectName    = "object"
	oldName       = "oldObject"
	requestName   = "request"
	paramsName    = "params"
	namespaceName = "namespaceObject"
	// authorizerName asks what who asks may do, requestCheckName what he may do with what the
	// request is about.
	authorizerName   = "authorizer"
	requestCheckName = "authorizer.requestResource"
	// variablePrefix and a name is a variable of the policy. CEL finds the longest name that it
	// knows, so they are variables like others, with a type each. One that is not declared before
	// it is used is an error.
	variablePrefix = "variables."
)

// environment is the language with everything but params and the variables of a policy.
var environment = sync.OnceValues(func() (*cel.Env, error) {
	return language.Extended(
		library.Authz(), library.AuthzSelectors(),
		cel.Variable(objectName, cel.DynType), cel.Variable(oldName, cel.DynType), cel.Variable(requestName, cel.DynType),
		cel.Variable(namespaceName, cel.DynType),
		cel.Variable(authorizerName, library.AuthorizerType), cel.Variable(requestCheckName, library.ResourceCheckType),
	)
})

// program is a compiled expression.
type program struct {
	text string
	cel.Program
	result *cel.Type
}

// compile compiles an expression, whose result has to be of one of the types, or of any if none are
// named.
func compile(e *cel.Env, text string, path *field.Path, types ...*cel.Type) (*program, *field.Error) {
	text = strings.TrimSpace(text)
	ast, issues := e.Compile(text)
	if err := issues.Err(); err != nil {
		return nil, field.Invalid(path, text, "compilation failed: "+explain(err.Error()))
	}
	if len(types) > 0 && !slices.ContainsFunc(types, func(t *cel.Type) bool { return ast.OutputType().IsExactType(t) }) {
		return nil, field.Invalid(path, text, "must evaluate to "+strings.Join(typeNames(types), " or "))
	}
	p, err := language.Program(e, ast)
	if err != nil {
		return nil, field.Invalid(path, text, fmt.Sprintf("program instantiation failed: %v", err))
	}
	return &program{text, p, ast.OutputType()}, nil
}

func typeNames(types []*cel.Type) (names []string) {
	for _, t := range types {
		names = append(names, t.String())
	}
	return names
}

// explain adds what CEL can't know to what it says.
func explain(message string) string {
	if strings.Contains(message, "undeclared reference to 'variables'") {
		return message + "\na variable is written variables.name, and has to be declared before it is used"
	}
	return message
}

var (
	identifier = regexp.MustCompile(`^[_a-zA-Z][_a-zA-Z0-9]*$`)
	reserved   = []string{
		"true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop", "package",
		"namespace", "return", "var", "void", "while",
	}
)

// IsName says whether a variable can be called so.
func IsName(name string) bool {
	return identifier.MatchString(name) && !slices.Contains(reserved, name)
}
