// Package judge says what is wrong with an object that is to be stored.
//
// There are four sets of rules: those of metadata, of the markers of the Go type, of the storage
// version, and of the strategy. The rules of markers are compiled, and are those of the request's
// version. All that they find is reported together. Start reading at Judge.Create. The package
// changes no object and knows no store.
package judge

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/operation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/internal/canonical"
	"github.com/typeplane/typeplane/registry/internal/document"
	"github.com/typeplane/typeplane/registry/internal/metadata"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/rules"
	"github.com/typeplane/typeplane/trace"
)

// statusField is the field that is the subresource of that name, too.
const statusField = "status"

// Judge judges what is written through one endpoint. It is for one request.
type Judge struct {
	// Version is that of the request, Codec has the storage version.
	canonical.Version
	Codec    *canonical.Codec
	Metadata metadata.Rules
	Strategy Strategy
	// Subresource is the part of the object that is written, "" for the object itself. Wholly says
	// that it is the author's, who may change all of the object.
	Subresource string
	Wholly      bool
	// KeepsStatus says that a write of the object itself leaves its status as it is.
	KeepsStatus bool
	// Default makes the hub of an object of a version, with the defaults of both.
	Default func(kind *runtime.Kind, obj runtime.Object) (runtime.Object, error)
}

// Strategy are the rules of a kind that are written in Go. Each may be nil.
type Strategy struct {
	Validate                             func(ctx context.Context, obj runtime.Object) field.ErrorList
	ValidateUpdate, ValidateStatusUpdate func(ctx context.Context, obj, old runtime.Object) field.ErrorList
	ValidationOptions                    func(ctx context.Context, obj, old runtime.Object) map[string]bool
}

// Create validates a new object. hub is sent after conversion, admission and the strategy. from is
// the document that hub was decoded from.
func (j *Judge) Create(ctx context.Context, sent Sent, hub runtime.Object, from *canonical.Origin) (err error) {
	ctx, step := trace.Begin(ctx, "validate")
	defer func() { step.End(err) }()
	compiled, err := j.compiledRules(ctx, operation.Create, sent, hub, from, nil, nil)
	if err != nil {
		return err
	}
	meta := runtime.Meta(hub)
	errs := append(j.Metadata.ValidateNew(meta), compiled...)
	if strategy := &j.Strategy; strategy.Validate != nil {
		errs = append(errs, strategy.Validate(ctx, hub)...)
	}
	return j.verdict(meta.Name, errs)
}

// Update validates an object and the change from old, which current holds. The other parameters are
// those of Create.
func (j *Judge) Update(ctx context.Context, sent Sent, hub, old runtime.Object, from *canonical.Origin, current []byte) (err error) {
	ctx, step := trace.Begin(ctx, "validate")
	defer func() { step.End(err) }()
	compiled, err := j.compiledRules(ctx, operation.Update, sent, hub, from, old, current)
	if err != nil {
		return err
	}
	meta := runtime.Meta(hub)
	errs := append(j.Metadata.ValidateChange(meta, runtime.Meta(old)), compiled...)
	return j.verdict(meta.Name, append(errs, j.askStrategy(ctx, hub, old)...))
}

// askStrategy asks the function that is there for such an update.
func (j *Judge) askStrategy(ctx context.Context, hub, old runtime.Object) field.ErrorList {
	strategy := &j.Strategy
	switch {
	case j.Subresource == statusField:
		if strategy.ValidateStatusUpdate != nil {
			return strategy.ValidateStatusUpdate(ctx, hub, old)
		}
	case strategy.ValidateUpdate != nil && !j.Wholly: // what clients may change is not what the author may
		return strategy.ValidateUpdate(ctx, hub, old)
	case strategy.Validate != nil:
		return strategy.Validate(ctx, hub)
	}
	return nil
}

// compiledRules runs the rules of the request's version, whose field names the client knows, and
// then those of the storage version.
func (j *Judge) compiledRules(ctx context.Context, typ operation.Type, sent Sent, hub runtime.Object, from *canonical.Origin, old runtime.Object, current []byte) (field.ErrorList, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	op := operation.Operation{Type: typ, Options: j.validationOptions(ctx, hub, old)}
	if j.Subresource != "" {
		op.Request.Subresources = []string{j.Subresource}
	}
	there := j.presenceOf(sent.Text, hub, from)
	obj, before, err := j.validated(sent, there, hub, old, current)
	if err != nil {
		return nil, err
	}
	own, err := askRules(j.informOfChange(there.inform(ctx), there, current), j.Kind, op, obj, before)
	if err == nil && old != nil {
		var more field.ErrorList
		more, err = j.unseenRules(ctx, op, obj, there, current, own)
		own = append(own, more...)
	}
	if err == nil {
		err = there.err()
	}
	if err != nil || !j.asStored() {
		return j.quoted(j.withoutReset(own), there), err
	}
	stored, err := j.storedRules(ctx, op, hub, old, own)
	return j.quoted(j.withoutReset(append(own, stored...)), there), err
}

// validated returns the objects that the rules of the request's version compare, if it has any: the
// new one and the old one, nil for none. A function that converts may fill in absent fields, and
// drop or replace present ones. So where one converts, the new object is the sent one.
func (j *Judge) validated(sent Sent, there *presence, hub, old runtime.Object, current []byte) (obj, before runtime.Object, err error) {
	if !j.Kind.Validates() {
		return nil, nil, nil
	}
	obj, before, err = converted(j.Kind.FromHub, hub, old)
	if err != nil || !j.Kind.ConvertsInGo() {
		return obj, before, err
	}
	switch {
	case there != nil && j.Documents != nil:
		return j.sentInDocument(there, obj, before, current)
	case sent.Object != nil:
		if obj, err = j.asSent(sent.Object, obj); err != nil {
			return nil, nil, apierrors.NewInternalError(fmt.Errorf("compare the request's object with the converted one to validate it: %w", err))
		}
	}
	return obj, before, nil
}

// sentInDocument returns the object that the request's document has become. obj and before are the
// converted ones, for a document that cannot be printed.
func (j *Judge) sentInDocument(there *presence, obj, before runtime.Object, current []byte) (runtime.Object, runtime.Object, error) {
	if there.look(); there.tree == nil {
		return obj, before, nil
	}
	sent, err := j.Documents.Read(there.of, runtime.Meta(obj))
	if err == nil && there.kept {
		j.Kind.Default(sent) // as the stored one is, also where its document has no object for them
		if before != nil {
			before, err = j.Codec.Decode(current)
		}
	}
	if err != nil {
		return nil, nil, apierrors.NewInternalError(fmt.Errorf("read the request's document to validate it: %w", err))
	}
	return sent, before, nil
}

func (j *Judge) validationOptions(ctx context.Context, hub, old runtime.Object) map[string]bool {
	if j.Strategy.ValidationOptions == nil {
		return nil
	}
	return j.Strategy.ValidationOptions(ctx, hub, old)
}

// unseenRules asks the rules about what an update changes in the document of current, a canonical
// value, and perhaps not in the Go value. That is whether something is there in which there is
// nothing. Go takes that for unchanged, so the rules are asked as about a new object. What they
// find counts if it is about such a place and is not known yet.
func (j *Judge) unseenRules(ctx context.Context, op operation.Operation, obj runtime.Object, sent *presence, current []byte, known field.ErrorList) (field.ErrorList, error) {
	if sent == nil || !sent.kept || !j.Kind.Validates() {
		return nil, nil
	}
	_, old, err := j.Parts(current)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	if sent.look(); sent.tree == nil || sent.of.Equal(old) {
		return nil, nil
	}
	was, err := old.Tree()
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	places := document.Unseen(was, sent.tree, j.Documents.Shape, rules.Enough)
	if len(places) == 0 {
		return nil, nil
	}
	op.Type = operation.Create
	found, err := askRules(sent.inform(ctx), j.Kind, op, obj, nil)
	already := violations{}
	already.add(known)
	return slices.DeleteFunc(found, func(v *field.Error) bool {
		return already[violationOf(v)] || !places.Touch(v.Field)
	}), err
}

// withoutReset drops the errors in a status that the endpoint does not write, because its client
// cannot correct them.
func (j *Judge) withoutReset(errs field.ErrorList) field.ErrorList {
	if !j.resetsStatus() {
		return errs
	}
	return slices.DeleteFunc(errs, func(err *field.Error) bool {
		return document.Within(err.Field, statusField)
	})
}

// Invalid is the status of an object that did not pass validation.
func (j *Judge) Invalid(name string, errs field.ErrorList) error {
	return rest.Invalid(j.Kind.GroupVersionKind().GroupKind(), name, errs)
}

// verdict is the status of an object with violations, nil if there are none.
func (j *Judge) verdict(name string, errs field.ErrorList) error {
	if len(errs) == 0 {
		return nil
	}
	return j.Invalid(name, errs)
}

// Size is the status of metadata that has more entries than it may have, and more than
// that of the object before an update.
func (j *Judge) Size(meta, old *metav1.ObjectMeta) error {
	return j.verdict(meta.Name, metadata.CheckSize(meta, old))
}
