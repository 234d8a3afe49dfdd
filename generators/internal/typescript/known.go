package typescript

import "k8s.io/gengo/v2/types"

// known is a type of Kubernetes that writes its own JSON.
type known struct {
	doc string
	is  func(*types.Type) expr
}

const (
	apimachinery = "k8s.io/apimachinery/pkg/"
	metaV1       = apimachinery + "apis/meta/v1"
)

var knownTypes = map[string]known{
	metaV1 + ".Time":      {"Time is a moment in seconds, as in RFC 3339: 2006-01-02T15:04:05Z.", text("string")},
	metaV1 + ".MicroTime": {"MicroTime is a moment in microseconds, as in RFC 3339: 2006-01-02T15:04:05.000000Z.", text("string")},
	metaV1 + ".Duration":  {"Duration is a time with its units, as Go writes it: 1h30m.", text("string")},
	metaV1 + ".FieldsV1": {
		"FieldsV1 is a set of fields: each element of a path holds what lies below it.",
		func(t *types.Type) expr { return expr{values: &expr{ref: t}} },
	},
	metaV1 + "/unstructured.Unstructured":                           {"Unstructured is an object of any kind.", openObject},
	apimachinery + "api/resource.Quantity":                          {"Quantity is a number with a suffix, like 100m or 2Gi.", text("number | string")},
	apimachinery + "util/intstr.IntOrString":                        {"IntOrString is an integer, or a string like a name or 10%.", text("number | string")},
	apimachinery + "runtime.RawExtension":                           {"RawExtension is an object whose kind is not known here.", text("unknown")},
	apimachinery + "runtime.Unknown":                                {"Unknown is an object whose kind is not known here.", text("unknown")},
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON": {"JSON is any value.", text("unknown")},
}

func text(text string) func(*types.Type) expr {
	return func(*types.Type) expr { return expr{text: text} }
}

func openObject(*types.Type) expr { return expr{values: &expr{text: "unknown"}} }
