package view

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane/runtime/serializer"
)

// writeYAML writes a list of n items, one by one, as the whole of its JSON would be in YAML: with
// the keys of every object sorted.
func (f frame) writeYAML(out *chunks, n int, item func(dst []byte, i int) ([]byte, error)) error {
	type member struct {
		key   string
		value any
	}
	before := []member{{"apiVersion", f.kind.GroupVersion().String()}}
	behind := []member{{"kind", f.kind.Kind}, {"metadata", f.meta}}
	if f.items == tableRows { // which sorts behind the others
		before, behind = append(append(before, member{"columnDefinitions", f.columns}), behind...), nil
	}
	members := func(list []member) error {
		for _, m := range list {
			text, err := yaml.Marshal(map[string]any{m.key: m.value})
			if err != nil {
				return apierrors.NewInternalError(err)
			}
			out.buf.Write(text)
		}
		return nil
	}
	if err := members(before); err != nil {
		return err
	}
	out.buf.WriteString(f.items + ":")
	if n == 0 {
		out.buf.WriteString(" []")
	}
	out.buf.WriteByte('\n')
	var one []byte
	for i := range n {
		var err error
		if one, err = item(one[:0], i); err != nil {
			return encodingError(err)
		}
		out.buf.WriteString("- ")
		data, err := serializer.AppendYAML(out.buf.AvailableBuffer(), one, 2)
		if err != nil {
			return apierrors.NewInternalError(err)
		}
		out.buf.Write(data)
		if err := out.flushFull(); err != nil {
			return err
		}
	}
	return members(behind)
}
