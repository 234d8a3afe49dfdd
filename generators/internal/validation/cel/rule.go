package cel

import (
	"fmt"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/validation/plan"
)

// Rule is a rule as CustomResourceDefinitions have it.
type Rule struct {
	// Self is the type of the value that the rule stands on.
	Self                                                *types.Type
	Rule, Message, MessageExpression, Reason, FieldPath string
	OptionalOldSelf                                     bool
	// Omits says that clients leave out the value when it is zero.
	Omits bool
	// Absent tells whether a field of a struct may be absent where the schema holds.
	Absent func(owner *types.Type, m types.Member) bool
	// Format is what markers say of the format of a field.
	Format func(owner *types.Type, m types.Member) string
	// Fields are what markers say of fields in the value.
	Fields func() []Field
}

// Field is what markers say of a field, which its Go type does not show: the type and format of its
// JSON, and what its items are told apart by.
type Field struct {
	// Of is the import path and name of the struct, with that of the field:
	// "example.com/v1.Spec.Start".
	Of, Type, Format, ListType string
	MapKeys                    []string
}

// Surroundings are where a rule is compiled.
type Surroundings struct {
	// Fresh returns a name that begins with a prefix and that nothing else in the generated package
	// has.
	Fresh func(prefix string) string
	// Lacking says what makes that the generated package can import module cel; "" if it can.
	Lacking func() string
	// Foreign says that the rule stands where nobody here can mend it.
	Foreign bool
}

// mistake is what is wrong with a rule, whoever evaluates it. All other errors of the translator
// are what it does not know.
type mistake string

func (m mistake) Error() string { return string(m) }

func wrong(format string, args ...any) error { return mistake(fmt.Sprintf(format, args...)) }

func emits(reason string) []plan.Emission {
	return []plan.Emission{{Type: "FieldValue" + reason, Origin: "rule", Path: ""}}
}

// said is what the error says, if no expression says it better.
func (r Rule) said() string {
	if r.Message != "" {
		return r.Message
	}
	return "failed rule: " + strings.Join(strings.Fields(r.Rule), " ")
}
