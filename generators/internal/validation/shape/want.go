package shape

import (
	"k8s.io/gengo/v2/types"
)

func WantString(t *types.Type) string {
	if IsString(Bare(t)) {
		return ""
	}
	return "it is for strings, and this is " + AKind(t)
}

func WantList(t *types.Type) string {
	if k := Native(t).Kind; k == types.Slice || k == types.Array {
		return ""
	}
	return "it is for lists, and this is " + AKind(t)
}

func WantMap(t *types.Type) string {
	n := Native(t)
	switch {
	case n.Kind != types.Map:
		return "it is for maps, and this is " + AKind(t)
	case !IsString(Native(n.Key)):
		return "it is for maps whose keys are strings"
	}
	return ""
}
