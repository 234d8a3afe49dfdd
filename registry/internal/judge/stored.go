package judge

import (
	"context"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/internal/pairing"
	"github.com/typeplane/typeplane/runtime"
)

// asStored says whether what is written through the version of the request is judged by the
// rules of the storage version too. Then an older version does not let in what the newer one
// forbids.
func (j *Judge) asStored() bool {
	return j.Kind != j.Codec.Storage && j.Codec.Storage.Validates() && !j.Kind.OwnRulesOnly()
}

// storedRules asks the rules of the storage version about an object that was sent in another one.
// Of what they find counts what the client can mend and has brought in. That is violations in
// fields that its version has too. Neither its own version has told them already, nor has the old
// object them.
func (j *Judge) storedRules(ctx context.Context, op operation.Operation, hub, old runtime.Object, own field.ErrorList) (field.ErrorList, error) {
	kind := j.Codec.Storage
	obj, before, err := converted(j.Codec.FromHub, hub, old)
	if err != nil {
		return nil, err
	}
	found, err := askRules(ctx, kind, op, obj, before)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	known := violations{}
	known.add(own)
	if old != nil { // rules that are written by hand may judge what was not changed
		was, err := askRules(ctx, kind, op, before, before)
		if err != nil {
			return nil, err
		}
		known.add(was)
	}
	pairs := pairing.Of(reflect.TypeOf(kind.New()), reflect.TypeOf(j.Kind.New()))
	var errs field.ErrorList
	for _, v := range found {
		if !known[violationOf(v)] && mendable(pairs, v) {
			errs = append(errs, named(v, kind.GroupVersionKind().GroupVersion().String()))
		}
	}
	return errs, nil
}

// mendable says whether a client of another version can mend a violation. A rule about a value as a
// whole may look at all that is in it, so its version has to have all of that. A size, or that
// something is missing or there twice, can be mended in any case.
func mendable(pairs *pairing.Fields, v *field.Error) bool {
	switch v.Type {
	case field.ErrorTypeInvalid, field.ErrorTypeForbidden:
		return pairs.Whole(v.Field)
	}
	return pairs.Shared(v.Field)
}

// named is a violation that says in which version it is one, whose names are in its path.
func named(v *field.Error, version string) *field.Error {
	out := *v
	out.Detail = fmt.Sprintf("by the rules of %s, the version that is stored", version)
	if v.Detail != "" {
		out.Detail = fmt.Sprintf("%s (%s)", v.Detail, out.Detail)
	}
	return &out
}

// violations are some that are known, whatever the values were.
type violations map[violation]bool

type violation struct {
	typ           field.ErrorType
	field, detail string
}

func violationOf(v *field.Error) violation { return violation{v.Type, v.Field, v.Detail} }

func (known violations) add(list field.ErrorList) {
	for _, v := range list {
		known[violationOf(v)] = true
	}
}
