package plan

// The packages of the runtime that printed code leans on.
const (
	RulesPath    = "github.com/typeplane/typeplane/runtime/rules"
	SemanticPath = "github.com/typeplane/typeplane/runtime/semantic"
)

// The packages of apimachinery that printed code uses.
const (
	validatePath  = "k8s.io/apimachinery/pkg/api/validate"
	OperationPath = "k8s.io/apimachinery/pkg/api/operation"
	SafePath      = "k8s.io/apimachinery/pkg/api/safe"
	FieldPath     = "k8s.io/apimachinery/pkg/util/validation/field"
	MetaV1        = "k8s.io/apimachinery/pkg/apis/meta/v1"
)
