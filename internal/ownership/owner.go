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

// owner is an entry of managedFields. Its fields stay the text that they are stored as.
type owner struct{ metav1.ManagedFieldsEntry }

// ownerList are the entries of an object.
type ownerList []owner

// owners makes a list of entries; of several with the same identity the last one counts.
func owners(entries []metav1.ManagedFieldsEntry) ownerList {
	out, at := make(ownerList, 0, len(entries)+1), make(map[identity]int, len(entries))
	for _, e := range entries {
		if i, ok := at[identityOf(&e)]; ok {
			out[i] = owner{e}
			continue
		}
		at[identityOf(&e)] = len(out)
		out = append(out, owner{e})
	}
	return out
}

// identity is what the entries of one owner have in common. Who applies is the same in every
// version.
type identity struct {
	manager, apiVersion, subresource string
	operation                        metav1.ManagedFieldsOperationType
}

func identityOf(e *metav1.ManagedFieldsEntry) identity {
	id := identity{e.Manager, e.APIVersion, e.Subresource, e.Operation}
	if e.Operation == metav1.ManagedFieldsOperationApply {
		id.apiVersion = ""
	}
	return id
}

func sameIdentity(a, b *metav1.ManagedFieldsEntry) bool { return identityOf(a) == identityOf(b) }

func (o *owner) none() bool { return fieldset.None(o.FieldsV1.GetRawBytes()) }

func (o *owner) fields() (*fieldpath.Set, error) {
	if text := o.FieldsV1.GetRawBytes(); len(text) > 0 {
		return fieldset.Read(text)
	}
	return fieldpath.NewSet(), nil
}

// setFields makes fields those of the owner.
func (o *owner) setFields(fields *fieldpath.Set) error {
	text, err := fields.ToJSON()
	if err == nil {
		o.setText(text)
	}
	return err
}

// has says how many of some fields the owner has.
func (o *owner) has(fields *fieldset.Set) (int, error) {
	if o.FieldsV1 == nil {
		return 0, nil
	}
	return fieldset.Count(o.FieldsV1.GetRawBytes(), fields)
}

// lose takes fields away from the owner.
func (o *owner) lose(sets ...*fieldset.Set) error {
	for _, fields := range sets {
		n, err := o.has(fields)
		if err != nil {
			return err
		}
		if n == 0 {
			continue
		}
		text, err := fieldset.Without(o.room(), o.FieldsV1.GetRawBytes(), fields)
		if err != nil {
			return err
		}
		o.setText(text)
	}
	return nil
}

// add gives fields to the owner.
func (o *owner) add(fields *fieldset.Set) error {
	n, err := o.has(fields)
	if err != nil || n == fields.Size() {
		return err
	}
	text, err := fieldset.With(o.room(), o.FieldsV1.GetRawBytes(), fields)
	if err == nil {
		o.setText(text)
	}
	if !errors.Is(err, fieldset.ErrOrder) {
		return err
	}
	set, err := o.fields()
	if err != nil {
		return err
	}
	return o.setFields(set.Union(fields.FieldSet()))
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
func (l ownerList) entries() []metav1.ManagedFieldsEntry {
	if len(l) == 0 {
		return nil
	}
	out := make([]metav1.ManagedFieldsEntry, len(l))
	for i := range l {
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
	return out
}

func seconds(e *metav1.ManagedFieldsEntry) int64 {
	if e.Time == nil {
		return 0
	}
	return e.Time.Unix()
}

// union are the fields of several sets. They are joined two by two: one after the other would cost
// the square of their number.
func union(sets []*fieldpath.Set) *fieldpath.Set {
	switch n := len(sets); n {
	case 0:
		return fieldpath.NewSet()
	case 1:
		return sets[0]
	default:
		return union(sets[:n/2]).Union(union(sets[n/2:]))
	}
}
