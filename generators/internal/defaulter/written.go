package defaulter

import (
	"encoding/json"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tagvalue"
)

// reference reads "ref(Name)" and "ref(import/path.Name)".
func (w written) reference() (types.Name, bool) {
	inner, ok := strings.CutPrefix(strings.TrimSpace(w.text), "ref(")
	if !ok || !strings.HasSuffix(inner, ")") {
		return types.Name{}, false
	}
	name := types.ParseFullyQualifiedName(strings.TrimSuffix(inner, ")"))
	if name.Package == "" {
		name.Package = w.pkg
	}
	return name, true
}

// json returns the default as JSON. A +default is JSON; the kubebuilder marker may be written in
// its own way too.
func (w written) json(t *types.Type) (json.RawMessage, error) {
	text := json.RawMessage(strings.TrimSpace(w.text))
	switch {
	case w.tag == kubebuilderName:
		value, err := tagvalue.Read(w.text, model.JSONKind(t))
		if err != nil {
			return nil, wrongf("%v; write it like +%s=%s", err, w.tag, example(t))
		}
		return value, nil
	case !json.Valid(text):
		return nil, wrongf("want JSON, like +%s=%s", w.tag, example(t))
	}
	return text, nil
}
