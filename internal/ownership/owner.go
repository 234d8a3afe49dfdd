package ownership

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/typeplane/typeplane/runtime/fieldset"
)

// owner is an entry of managedFields. Its fields are decoded when they change, and not before.
type owner struct {
	metav1.ManagedFieldsEntry
	set *fieldpath.Set // in place of FieldsV1; nil as long as that holds
}

// ownerList are the entries of an object.
type ownerList []owner

// owners makes a list of entries; of several with the same identity the last one counts.
func owners(entries []metav1.ManagedFieldsEntry) ownerList {
	out := make(ownerList, 0, len(entries)+1)
	for _, e := range entries {
		i := slices.IndexFunc(out, func(o owner) bool { return sameIdentity(&o.ManagedFieldsEntry, &e) })
		if i < 0 {
			out = append(out, owner{ManagedFieldsEntry: e})
		} else {
			out[i] = owner{ManagedFieldsEntry: e}
		}
	}
	return out
}

// sameIdentity says whether two entries are of the same owner. Who applies is the same in every
// version.
func sameIdentity(a, b *metav1.ManagedFieldsEntry) bool {
	return a.Manager == b.Manager && a.Operation == b.Operation && a.Subresource == b.Subresource &&
		(a.APIVersion == b.APIVersion || a.Operation == metav1.ManagedFieldsOperationApply)
}

func (o *owner) none() bool {
	if o.set != nil {
		return o.set.Empty()
	}
	return fieldset.None(o.FieldsV1.GetRawBytes())
}

func (o *owner) fields() (*fieldpath.Set, error) {
	if o.set != nil {
		return o.set, nil
	}
	set := fieldpath.NewSet()
	if text := o.FieldsV1.GetRawBytes(); len(text) > 0 {
		if err := set.FromJSON(bytes.NewReader(text)); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// has says how many of some fields the owner has.
func (o *owner) has(fields *fieldset.Set) (int, error) {
	if o.set != nil {
		return o.set.Intersection(fields.FieldSet()).Size(), nil
	}
	if o.FieldsV1 == nil {
		return 0, nil
	}
	return fieldset.Count(o.FieldsV1.GetRawBytes(), fields)
}

// lose takes fields away from the owner.
func (o *owner) lose(sets ...*fieldset.Set) error {
	for _, fields := range sets {
		n, err := o.has(fields)
		switch {
		case err != nil:
			return err
		case n == 0:
		case o.set != nil:
			o.set = o.set.Difference(fields.FieldSet())
		default:
			text, err := fieldset.Without(o.room(), o.FieldsV1.GetRawBytes(), fields)
			if err != nil {
				return err
			}
			o.setText(text)
		}
	}
	return nil
}

// add gives fields to the owner.
func (o *owner) add(fields *fieldset.Set) error {
	n, err := o.has(fields)
	if err != nil || n == fields.Size() {
		return err
	}
	if o.set == nil {
		text, err := fieldset.With(o.room(), o.FieldsV1.GetRawBytes(), fields)
		if err == nil {
			o.setText(text)
		}
		if !errors.Is(err, fieldset.ErrOrder) {
			return err
		}
	}
	set, err := o.fields()
	if err != nil {
		return err
	}
	o.set = set.Union(fields.FieldSet())
	return nil
}

// texts have room for a text whose length nobody knows before.
var texts = sync.Pool{New: func() any { return new([]byte) }}

// own makes fields those of the owner.
func (o *owner) own(fields *fieldset.Set) error {
	room := texts.Get().(*[]byte)
	defer texts.Put(room)
	text, err := fields.AppendJSON((*room)[:0])
	if err == nil {
		*room = text
		o.setText(bytes.Clone(text))
	}
	return err
}

// room is where the next text of the fields may go. The last one is the entry's, whose other
// readers see it unchanged.
func (o *owner) room() []byte { return make([]byte, 0, len(o.FieldsV1.GetRawBytes())) }

func (o *owner) setText(text []byte) {
	o.FieldsV1 = new(metav1.FieldsV1)
	o.FieldsV1.SetRawBytes(text)
}

// entries is the list as it is stored.
func (l ownerList) entries() ([]metav1.ManagedFieldsEntry, error) {
	if len(l) == 0 {
		return nil, nil
	}
	out := make([]metav1.ManagedFieldsEntry, len(l))
	for i := range l {
		if l[i].set != nil {
			text, err := l[i].set.ToJSON()
			if err != nil {
				return nil, err
			}
			l[i].setText(text)
		}
		out[i] = l[i].ManagedFieldsEntry
	}
	slices.SortFunc(out, func(a, b metav1.ManagedFieldsEntry) int {
		return cmp.Or(
			strings.Compare(string(a.Operation), string(b.Operation)),
			cmp.Compare(seconds(&a), seconds(&b)),
			strings.Compare(a.Manager, b.Manager),
			strings.Compare(a.APIVersion, b.APIVersion),
			strings.Compare(a.Subresource, b.Subresource),
		)
	})
	return out, nil
}

func seconds(e *metav1.ManagedFieldsEntry) int64 {
	if e.Time == nil {
		return 0
	}
	return e.Time.Unix()
}
