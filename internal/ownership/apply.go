package ownership

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/typeplane/typeplane/internal/ownership/tree"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/fieldset"
)

// Check says what is wrong with the content of an apply patch by the schema of the kind: unknown
// fields, and items of a list that are there twice. The error is an API status.
func (t *Tracker) Check(content map[string]any) error {
	v, err := t.version()
	if err != nil {
		return apierrors.NewInternalError(err) // the schema itself is of no use
	}
	if err := checkSize("the patch", content); err != nil {
		return err
	}
	if err := v.schema.Check(content, false); err != nil {
		return apierrors.NewBadRequest(fmt.Sprintf("error decoding patch: %v", err))
	}
	return nil
}

// Apply makes the next object of live, whatever it was before, by what manager wants its fields to
// be. That is the content of an apply patch that Check finds nothing wrong with. A conflict with
// another manager is an API status; force takes the fields over. The result is defaulted, if it is
// no Document, and knows its owners. text is the JSON of what there is of that then: in live, and
// in content; nil if it is a Document, or nothing was changed. Neither live nor content is
// modified. left are the fields that the manager gave up and that have no manager now.
func (t *Tracker) Apply(live runtime.Object, content map[string]any, manager string, force bool) (next runtime.Object, text []byte, left Left, err error) {
	v, err := t.version()
	if err != nil {
		return nil, nil, left, err
	}
	a, err := t.begin(v, live, content, manager)
	if err != nil {
		return nil, nil, left, err
	}
	if err := a.merge(); err != nil {
		return nil, nil, left, err
	}
	owners, err := a.take(force)
	if conflicts, ok := err.(conflicts); ok {
		if conflicts = a.withoutLastApplied(conflicts); len(conflicts) > 0 {
			return nil, nil, left, conflicts.status()
		}
		owners, err = a.take(true)
	}
	if err != nil {
		return nil, nil, left, err
	}
	if next, text, err = a.result(); err != nil {
		return nil, nil, left, err
	}
	meta := runtime.Meta(next)
	meta.ManagedFields = owners.entries()
	a.updateLastApplied(meta)
	return next, text, a.unmanaged(), nil
}

// application is an apply patch on its way.
type application struct {
	*Tracker
	in      version
	live    runtime.Object
	content map[string]any
	was, is map[string]any // the trees before and after
	owners  ownerList      // before
	self    metav1.ManagedFieldsEntry
	fields  *fieldset.Set // that the patch names
	text    []byte        // fields as FieldsV1
	// last is the manager's last applied set, in version lastIn, if some of it is pruned.
	last   *fieldpath.Set
	lastIn string
}

// begin finds out who owns what before the patch.
func (t *Tracker) begin(v version, live runtime.Object, content map[string]any, manager string) (*application, error) {
	a := &application{Tracker: t, in: v, live: live, content: content}
	var err error
	if a.was, err = t.treeOf(v, live); err != nil {
		return nil, err
	}
	if err := checkSize("the object", a.was); err != nil {
		return nil, err
	}
	if err := v.schema.Check(a.was, true); err != nil {
		return nil, fmt.Errorf("the object does not fit the schema of its kind: %w", err)
	}
	entries := runtime.Meta(live).ManagedFields
	if len(entries) == 0 {
		a.owners, err = t.follow(nil, t.nothing(), live, "before-first-apply")
	} else {
		a.owners, err = t.settled(entries)
	}
	if err != nil {
		return nil, err
	}
	a.fields = v.schema.Fields(ownable(content))
	for _, path := range t.ignored {
		a.fields.Drop(path)
	}
	a.self = t.author(manager, metav1.ManagedFieldsOperationApply)
	a.text, err = a.fields.AppendJSON(nil)
	return a, err
}

// settled are owners by what is owned as a whole now. Those in versions that are no longer served
// are left out.
func (t *Tracker) settled(entries []metav1.ManagedFieldsEntry) (ownerList, error) {
	for i := range entries {
		if err := checkHead(i, &entries[i]); err != nil {
			return nil, fmt.Errorf("failed to decode managed fields: %w", err)
		}
	}
	var settled ownerList
	for _, o := range owners(entries) {
		v, ok, err := t.versionOf(o.APIVersion)
		if err != nil {
			return nil, err
		}
		if text := o.FieldsV1.GetRawBytes(); len(text) > 0 && !v.schema.Settled(text) {
			fields, err := o.fields()
			if err == nil {
				err = o.setFields(v.schema.Settle(fields))
			}
			if err != nil {
				return nil, fmt.Errorf("failed to decode managed fields: %w", err)
			}
		}
		if ok {
			settled = append(settled, o)
		}
	}
	return settled, nil
}

// ownable is the content of a patch without what nobody owns.
func ownable(content map[string]any) map[string]any {
	out := without(content, "apiVersion", "kind", "metadata")
	meta, _ := content["metadata"].(map[string]any)
	if meta = without(meta, nobodys...); len(meta) > 0 {
		out["metadata"] = meta
	}
	return out
}

// nobodys are the members of metadata that nobody owns.
var nobodys = []string{"name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName", "generation", "managedFields", "resourceVersion"}

// without is a copy of an object without some members.
func without(object map[string]any, names ...string) map[string]any {
	out := make(map[string]any, len(object))
	for name, value := range object {
		if !slices.Contains(names, name) {
			out[name] = value
		}
	}
	return out
}

// merge puts what the patch says into the object, and takes out of it what the patch does not say
// any more.
func (a *application) merge() error {
	a.is = a.in.schema.Merge(a.was, a.content)
	i := a.owners.index(a.self)
	if i < 0 || a.owners[i].none() {
		return nil
	}
	last, alone := a.owners[i], a.inOneVersion()
	if alone && bytes.Equal(last.FieldsV1.GetRawBytes(), a.text) {
		return nil // it says what it said before
	}
	fields, err := last.fields()
	if err != nil {
		return err
	}
	if alone && fields.Difference(a.fields.FieldSet()).Empty() {
		return nil
	}
	a.last, a.lastIn = fields, last.APIVersion
	a.is, err = a.prune(fields, last.APIVersion)
	return err
}

// inOneVersion says whether all owners are in the version of the patch. In another version an
// object may have less: a Go value has no null, and leaves out what is empty.
func (a *application) inOneVersion() bool {
	return !slices.ContainsFunc(a.owners, func(o owner) bool { return o.APIVersion != a.self.APIVersion })
}

// prune is the object without those of the fields that a manager owned last, in some version, which
// it does not name any more, and nobody else owns.
func (a *application) prune(last *fieldpath.Set, lastVersion string) (map[string]any, error) {
	in, ok, err := a.versionOf(lastVersion)
	if err != nil || !ok {
		return a.is, err
	}
	whole, err := a.convert(a.is, a.in, in)
	if err != nil {
		return nil, err
	}
	last = in.schema.WithParents(last)
	p := pruning{a, in, whole, in.schema.Remove(whole, last)}
	owned := a.owned()
	if fields, ok := owned[lastVersion]; ok {
		if err := p.addBack(in, fields); err != nil {
			return nil, err
		}
		delete(owned, lastVersion)
	}
	for _, name := range sortedKeys(owned) {
		v, ok, err := a.versionOf(name)
		if err == nil && ok {
			err = p.addBack(v, owned[name])
		}
		if err != nil {
			return nil, err
		}
	}
	// What is gone, and was not the manager's, comes back.
	if err := p.to(in); err != nil {
		return nil, err
	}
	gone := fieldsOf(in.schema, whole).Difference(fieldsOf(in.schema, p.left)).Intersection(last)
	return a.convert(in.schema.Remove(whole, gone), in, a.in)
}

// owned is what anybody owns, the manager with its new fields among them, by version.
func (a *application) owned() map[string]*fieldpath.Set {
	sets := map[string][]*fieldpath.Set{a.self.APIVersion: {a.in.schema.Fields(a.content).FieldSet()}}
	for i := range a.owners {
		o := &a.owners[i]
		if sameIdentity(&o.ManagedFieldsEntry, &a.self) {
			continue
		}
		set, err := o.fields()
		if err != nil {
			continue // it was read before
		}
		sets[o.APIVersion] = append(sets[o.APIVersion], set)
	}
	owned := make(map[string]*fieldpath.Set, len(sets))
	for version, all := range sets {
		owned[version] = union(all)
	}
	return owned
}

// pruning is an object in some version, and what is left of it.
type pruning struct {
	*application
	in          version
	whole, left map[string]any
}

// to goes on in another version.
func (p *pruning) to(v version) (err error) {
	if p.whole, err = p.convert(p.whole, p.in, v); err != nil {
		return err
	}
	p.left, err = p.convert(p.left, p.in, v)
	p.in = v
	return err
}

// addBack puts back what is owned in a version.
func (p *pruning) addBack(v version, owned *fieldpath.Set) error {
	if err := p.to(v); err != nil {
		return err
	}
	keep := fieldsOf(v.schema, p.left).Union(v.schema.WithParents(owned))
	p.left = v.schema.Remove(p.whole, fieldsOf(v.schema, p.whole).Difference(keep))
	return nil
}

func fieldsOf(schema *tree.Type, object map[string]any) *fieldpath.Set {
	return schema.WithParents(schema.Fields(object).FieldSet())
}

// take gives the fields of the patch to the manager, and takes those that are changed by it from
// others. If these are others' and it must not, the error is conflicts.
func (a *application) take(force bool) (ownerList, error) {
	differ, taken := map[string]*fieldset.Comparison{}, conflicts(nil)
	after := make(ownerList, 0, len(a.owners)+1)
	mine := owner{a.self}
	for _, o := range a.owners {
		if sameIdentity(&o.ManagedFieldsEntry, &a.self) {
			mine.Time = o.Time
			continue
		}
		c, ok := differ[o.APIVersion]
		if !ok {
			var err error
			if c, err = a.difference(o.APIVersion); err != nil {
				return nil, err
			}
			differ[o.APIVersion] = c
		}
		if c == nil {
			continue
		}
		more, err := conflictsWith(&o, c.Changed())
		if err != nil {
			return nil, err
		}
		taken = append(taken, more...)
		if err := o.lose(c.Changed(), c.Removed()); err != nil {
			return nil, err
		}
		if !o.none() {
			after = append(after, o)
		}
	}
	if len(taken) > 0 && !force {
		return nil, taken
	}
	if a.fields.Empty() {
		return after, nil
	}
	mine.FieldsType, mine.FieldsV1 = "FieldsV1", new(metav1.FieldsV1)
	mine.FieldsV1.SetRawBytes(a.text)
	if a.changed() {
		mine.Time = &metav1.Time{Time: time.Now().UTC()}
	}
	return append(after, mine), nil
}

// changed says whether the patch makes another object.
func (a *application) changed() bool { return !tree.Same(a.was, a.is) }

// difference tells which fields the patch has changed in a version, but for those that nobody can
// own by it; nil: there is no such version.
func (a *application) difference(name string) (*fieldset.Comparison, error) {
	v, ok, err := a.versionOf(name)
	if err != nil || !ok {
		return nil, err
	}
	was, err := a.convert(a.was, a.in, v)
	if err != nil {
		return nil, err
	}
	is, err := a.convert(a.is, a.in, v)
	if err != nil {
		return nil, err
	}
	c := new(fieldset.Comparison)
	v.schema.Compare(c, was, is)
	a.drop(c)
	return c, c.Err()
}

// result is the object that the patch has made, and its JSON.
func (a *application) result() (runtime.Object, []byte, error) {
	d, isDocument := a.live.(Document)
	switch changed := a.changed(); {
	case isDocument && changed:
		next, err := a.document(a.is)
		return next, nil, err
	case isDocument:
		return Document{d.Object.DeepCopyObject().(runtime.Object), d.Content}, nil, nil
	case !changed:
		return a.live.DeepCopyObject().(runtime.Object), nil, nil
	}
	obj, text, err := a.in.read(a.is)
	if err == nil {
		a.scheme.Default(obj)
	}
	return obj, text, err
}
