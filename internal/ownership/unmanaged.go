package ownership

import (
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/typeplane/typeplane/runtime/fieldset"
)

// Left are fields that an apply patch leaves without a manager, by their paths in a version. There
// are Count of them; Paths has the first ones.
type Left struct {
	Version string
	Paths   []string
	Count   int
}

// unmanaged returns the fields that the manager applied last and does not apply any more, that are
// still there, and that nobody manages in any version. Pruning goes by paths: it restores a field
// if a field of another version would take its place. So this happens only between versions. If
// fields of another version can't be converted, none is returned.
func (a *application) unmanaged() (left Left) {
	if a.last == nil || a.inOneVersion() && a.lastIn == a.self.APIVersion {
		return left
	}
	in, ok, err := a.versionOf(a.lastIn)
	if err != nil || !ok {
		return left
	}
	is, err := a.convert(a.is, a.in, in)
	if err != nil {
		return left
	}
	fields := a.last.Intersection(fieldsOf(in.schema, is))
	for name, owned := range a.owned() {
		if fields, err = a.unlike(fields, in, is, name, owned); err != nil {
			return left
		}
	}
	left.Version = a.lastIn
	fields.Leaves().Iterate(func(path fieldpath.Path) {
		if left.Count++; left.Count <= maxLost {
			left.Paths = append(left.Paths, path.String())
		}
	})
	return left
}

// unlike returns those of the fields of an object, is in version in, that would differ if the
// object had nothing but what is owned in another version.
func (a *application) unlike(fields *fieldpath.Set, in version, is map[string]any, name string, owned *fieldpath.Set) (*fieldpath.Set, error) {
	if name == a.lastIn {
		return fields.Difference(in.schema.WithParents(owned)), nil
	}
	other, ok, err := a.versionOf(name)
	if err != nil || !ok {
		return fields, err
	}
	whole, err := a.convert(a.is, a.in, other)
	if err != nil {
		return nil, err
	}
	rest := fieldsOf(other.schema, whole).Difference(other.schema.WithParents(owned))
	alone, err := a.convert(other.schema.Remove(whole, rest), other, in)
	if err != nil {
		return nil, err
	}
	c := new(fieldset.Comparison)
	in.schema.Compare(c, alone, is)
	return fields.Intersection(c.Changed().FieldSet()), c.Err()
}
