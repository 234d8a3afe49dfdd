package ownership

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/fieldset"
)

// Update returns who owns the fields of obj after manager has made it of live; an empty live was
// never stored. Both are of the tracker's version, and say so. It takes the managedFields of obj
// away.
//
// It does what apimachinery's managedfields does for a write that is no apply patch: the writer
// owns what differs, all others lose that, and nobody owns what is gone. An owner in another
// version loses what differs there.
func (t *Tracker) Update(live, obj runtime.Object, manager string) (owners []metav1.ManagedFieldsEntry, err error) {
	defer func() {
		if r := recover(); r != nil {
			owners, err = nil, fmt.Errorf("panic: %v", r)
		}
	}()
	before := t.before(live, obj)
	runtime.Meta(obj).ManagedFields = nil
	if len(before) == 0 && runtime.Meta(live).UID != "" {
		return nil, nil // nobody has kept track of it
	}
	after, err := t.follow(before, live, obj, manager)
	if err != nil {
		return nil, err
	}
	return after.entries(), nil
}

// follow returns who owns the fields of obj after manager has made it of live, whose owners were
// those before.
func (t *Tracker) follow(before ownerList, live, obj runtime.Object, manager string) (ownerList, error) {
	mine, err := t.compare(t.kind, live, obj)
	if err != nil {
		return nil, err
	}
	self := t.author(manager, metav1.ManagedFieldsOperationUpdate)
	differ := map[string]*fieldset.Comparison{self.APIVersion: mine}
	after := make(ownerList, 0, len(before)+1)
	at := -1 // where the writer is among them
	for _, o := range before {
		c, ok := differ[o.APIVersion]
		if !ok {
			if c, err = t.compareIn(o.APIVersion, live, obj); err != nil {
				return nil, err
			}
			differ[o.APIVersion] = c
		}
		switch {
		case c == nil: // a version that is no longer served: who wrote in it owns nothing any more
			continue
		case sameIdentity(&o.ManagedFieldsEntry, &self):
			err = o.lose(c.Removed())
			at = len(after)
		default:
			err = o.lose(c.Changed(), c.Removed())
		}
		if err != nil {
			return nil, err
		}
		if at == len(after) || !o.none() {
			after = append(after, o)
		}
	}
	return after, after.gain(at, self, mine.Changed())
}

// gain gives the writer, who is at a place among the owners or -1, what is new.
func (l *ownerList) gain(at int, self metav1.ManagedFieldsEntry, fields *fieldset.Set) error {
	switch {
	case fields.Empty():
		if at >= 0 && (*l)[at].none() {
			*l = append((*l)[:at], (*l)[at+1:]...)
		}
		return nil
	case at < 0:
		mine := owner{self}
		mine.FieldsType = "FieldsV1"
		if err := mine.own(fields); err != nil {
			return err
		}
		at = len(*l)
		*l = append(*l, mine)
	default:
		if err := (*l)[at].add(fields); err != nil {
			return err
		}
	}
	(*l)[at].Time = &metav1.Time{Time: time.Now().UTC()}
	return l.cap()
}

// before are the owners that a write starts from: those that the client sent, if it understands
// them, or those of live.
func (t *Tracker) before(live, obj runtime.Object) ownerList {
	was, sent := runtime.Meta(live).ManagedFields, runtime.Meta(obj).ManagedFields
	if t.subresource == "" {
		if isReset(sent) {
			return nil
		}
		if all, ok := sentOwners(sent, was); ok && len(sent) > 0 {
			return all
		}
	}
	if all, ok := sentOwners(was, was); ok {
		return all
	}
	return nil
}

// isReset says whether a client wants nobody to own anything: it sends an empty list, or one empty
// entry.
func isReset(sent []metav1.ManagedFieldsEntry) bool {
	return sent != nil && len(sent) == 0 || len(sent) == 1 && sent[0] == metav1.ManagedFieldsEntry{}
}

// sentOwners are the owners that a client has sent. It is not ok if that is not what owners look
// like. The fields of entries that are known are not read again; those of others may be written in
// many ways, of which only one is left.
func sentOwners(sent, known []metav1.ManagedFieldsEntry) (all ownerList, ok bool) {
	settled := sent
	for i := range sent {
		o := owner{sent[i]}
		if checkHead(i, &o.ManagedFieldsEntry) != nil {
			return nil, false
		}
		if i < len(known) && bytes.Equal(o.FieldsV1.GetRawBytes(), known[i].FieldsV1.GetRawBytes()) || o.none() {
			continue
		}
		fields, err := o.fields()
		if err == nil {
			err = o.setFields(fields)
		}
		if err != nil {
			return nil, false
		}
		if &settled[0] == &sent[0] {
			settled = slices.Clone(sent)
		}
		settled[i] = o.ManagedFieldsEntry
	}
	return owners(settled), true
}

// checkHead says what is wrong with the entry number i, but for its fields.
func checkHead(i int, e *metav1.ManagedFieldsEntry) error {
	switch {
	case e.Operation != metav1.ManagedFieldsOperationApply && e.Operation != metav1.ManagedFieldsOperationUpdate:
		return errors.New("operation must be `Apply` or `Update`")
	case e.APIVersion == "":
		return errors.New("apiVersion must not be empty")
	case e.FieldsType == "":
		return fmt.Errorf("missing fieldsType in managed fields entry %d", i)
	case e.FieldsType != "FieldsV1":
		return fmt.Errorf("invalid fieldsType %q in managed fields entry %d", e.FieldsType, i)
	}
	return nil
}

// Check says what is wrong with entries of managedFields that somebody has made of known ones,
// which are not looked at again.
func Check(entries, known []metav1.ManagedFieldsEntry) error {
	if len(entries) == 0 || len(entries) == len(known) && &entries[0] == &known[0] {
		return nil
	}
	for i := range entries {
		if err := checkHead(i, &entries[i]); err != nil {
			return err
		}
		if text := entries[i].FieldsV1.GetRawBytes(); len(text) > 0 {
			if _, err := fieldset.Read(text); err != nil {
				return fmt.Errorf("error decoding versioned set from %v: error decoding set: %v", entries[i], err)
			}
		}
	}
	return nil
}

// compare tells which fields differ in one version, except for those that nobody can own by such a
// write.
func (t *Tracker) compare(kind *runtime.Kind, live, obj runtime.Object) (*fieldset.Comparison, error) {
	c, err := t.comparison(kind, live, obj)
	if err != nil {
		return nil, err
	}
	t.drop(c)
	return c, c.Err()
}

// drop takes the fields out of a comparison that nobody can own by such a write.
func (t *Tracker) drop(c *fieldset.Comparison) {
	for _, path := range t.ignored {
		c.Changed().Drop(path)
		c.Removed().Drop(path)
	}
}

// comparison compares by the functions that gen has printed. Documents, and objects of kinds
// without such, it compares by the schemas.
func (t *Tracker) comparison(kind *runtime.Kind, live, obj runtime.Object) (*fieldset.Comparison, error) {
	c := new(fieldset.Comparison)
	if _, isDocument := live.(Document); !isDocument && kind.ComparesFields() {
		kind.CompareFields(c, live, obj)
		return c, nil
	}
	v, ok, err := t.versionOf(kind.GroupVersionKind().GroupVersion().String())
	if err != nil || !ok {
		return c, err
	}
	was, err := t.ownedTree(v, live)
	if err != nil {
		return nil, err
	}
	is, err := t.ownedTree(v, obj)
	if err != nil {
		return nil, err
	}
	v.schema.Compare(c, was, is)
	return c, nil
}

// ownedTree is the tree of an object without what nobody owns. The metadata itself is always there.
func (t *Tracker) ownedTree(v version, obj runtime.Object) (map[string]any, error) {
	object, err := t.treeOf(v, obj)
	if err != nil {
		return nil, err
	}
	if err := v.schema.Check(object, true); err != nil {
		return nil, err
	}
	meta, _ := object["metadata"].(map[string]any)
	object["metadata"] = without(meta, nobodys...)
	return object, nil
}

// compareIn is compare in another version, to which both objects are converted. nil: there is none.
func (t *Tracker) compareIn(version string, live, obj runtime.Object) (*fieldset.Comparison, error) {
	gv, err := schema.ParseGroupVersion(version)
	if err != nil {
		return nil, err
	}
	gvk := gv.WithKind(t.kind.GroupVersionKind().Kind)
	kind, err := t.scheme.Kind(gvk)
	if err != nil || kind.Hub() != t.kind.Hub() {
		return nil, nil
	}
	if !t.schemas.publish(gvk) {
		return nil, nil
	}
	was, err := t.scheme.Convert(goValue(live), gvk)
	if err != nil {
		return nil, err
	}
	is, err := t.scheme.Convert(goValue(obj), gvk)
	if err != nil {
		return nil, err
	}
	return t.compare(kind, was, is)
}

// goValue is the Go value of an object.
func goValue(obj runtime.Object) runtime.Object {
	if d, ok := obj.(Document); ok {
		return d.Object
	}
	return obj
}
