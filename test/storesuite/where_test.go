package storesuite

import (
	"slices"

	"k8s.io/apimachinery/pkg/selection"
	peer "k8s.io/apiserver/pkg/storage"

	"github.com/typeplane/typeplane/storage"
)

// where takes the first field with an index that the selector gives one value. (Our cache makes an
// index of whatever it is asked for. But where it knows that nothing follows, it gives no token to
// go on with. The suites want one in lists by fields that have no index.)
func (p *place) where(predicate peer.SelectionPredicate) *storage.Where {
	if len(predicate.IndexFields) == 0 {
		return nil
	}
	for _, r := range predicate.Field.Requirements() {
		if r.Operator == selection.NotEquals || !slices.Contains(predicate.IndexFields, r.Field) {
			continue
		}
		return &storage.Where{Attribute: r.Field, Value: r.Value, Read: func(e storage.Entry) (string, bool, error) {
			obj, err := p.decode(e)
			if err != nil {
				return "", false, err
			}
			_, fields, err := predicate.GetAttrs(obj)
			return fields.Get(r.Field), fields.Has(r.Field), err
		}}
	}
	return nil
}
