package registry

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

// An object is judged by four sets of rules: those of metadata, of the markers of its Go type, of
// the storage version, and of the strategy. The rules of markers are compiled, and are those of the
// request's version. All that they find is reported together.

// validateCreate says what is wrong with a new object, which was made of from.
func (e *endpoint) validateCreate(ctx context.Context, text []byte, hub runtime.Object, from *canonical.Origin) (err error) {
	ctx, step := trace.Begin(ctx, "validate")
	defer func() { step.End(err) }()
	compiled, err := e.compiledRules(ctx, operation.Create, text, hub, from, nil, nil)
	if err != nil {
		return err
	}
	meta := runtime.Meta(hub)
	errs := append(e.metadata.ValidateNew(meta), compiled...)
	if strategy := &e.def.Strategy; strategy.Validate != nil {
		errs = append(errs, strategy.Validate(ctx, hub)...)
	}
	return e.verdict(meta.Name, errs)
}

// validateUpdate says what is wrong with an object that is to follow old, which current holds, and
// was made of from, and with the change.
func (e *endpoint) validateUpdate(ctx context.Context, text []byte, hub, old runtime.Object, from *canonical.Origin, current []byte) (err error) {
	ctx, step := trace.Begin(ctx, "validate")
	defer func() { step.End(err) }()
	compiled, err := e.compiledRules(ctx, operation.Update, text, hub, from, old, current)
	if err != nil {
		return err
	}
	meta := runtime.Meta(hub)
	errs := append(e.metadata.ValidateChange(meta, runtime.Meta(old)), compiled...)
	return e.verdict(meta.Name, append(errs, e.askStrategy(ctx, hub, old)...))
}

// askStrategy asks the function that is there for such an update.
func (e *endpoint) askStrategy(ctx context.Context, hub, old runtime.Object) field.ErrorList {
	strategy := &e.def.Strategy
	switch {
	case e.subresource == subresourceStatus:
		if strategy.ValidateStatusUpdate != nil {
			return strategy.ValidateStatusUpdate(ctx, hub, old)
		}
	case strategy.ValidateUpdate != nil && !e.wholly: // what clients may change is not what the author may
		return strategy.ValidateUpdate(ctx, hub, old)
	case strategy.Validate != nil:
		return strategy.Validate(ctx, hub)
	}
	return nil
}

// compiledRules asks the rules of the version of the request, with the names that the client knows,
// and behind them those of the storage version.
func (e *endpoint) compiledRules(ctx context.Context, typ operation.Type, text []byte, hub runtime.Object, from *canonical.Origin, old runtime.Object, current []byte) (field.ErrorList, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	op := operation.Operation{Type: typ, Options: e.validationOptions(ctx, hub, old)}
	if e.subresource != "" {
		op.Request.Subresources = []string{e.subresource}
	}
	sent := e.presenceOf(text, hub, from)
	obj, before, err := e.judged(sent, hub, old, current)
	if err != nil {
		return nil, err
	}
	own, err := askRules(sent.inform(ctx), e.Kind, op, obj, before)
	if err == nil && old != nil {
		var more field.ErrorList
		more, err = e.unseenRules(ctx, op, obj, sent, current, own)
		own = append(own, more...)
	}
	if err == nil {
		err = sent.err()
	}
	if err != nil || !e.judgedAsStored() {
		return e.withoutReset(own), err
	}
	stored, err := e.storedRules(ctx, op, hub, old, own)
	return e.withoutReset(append(own, stored...)), err
}

// judged are an object and its predecessor, nil for none. They are as the rules of the version of
// the request look at them, if it has any. A conversion in Go makes something of what was not sent,
// and drops what was; so a version that has one is judged by the documents, where there are any.
func (e *endpoint) judged(sent *presence, hub, old runtime.Object, current []byte) (obj, before runtime.Object, err error) {
	if !e.Kind.Validates() {
		return nil, nil, nil
	}
	obj, before, err = converted(e.Kind.FromHub, hub, old)
	if err != nil || sent == nil || e.Documents == nil || !e.Kind.ConvertsInGo() {
		return obj, before, err
	}
	if sent.look(); sent.tree == nil {
		return obj, before, nil
	}
	if obj, err = e.Documents.Read(sent.of, runtime.Meta(hub)); err == nil && sent.kept {
		e.Kind.Default(obj) // as the stored one is, also where its document has no object for them
		if old != nil {
			before, err = e.codec.Decode(current)
		}
	}
	if err != nil {
		return nil, nil, apierrors.NewInternalError(fmt.Errorf("read what was sent to validate it: %w", err))
	}
	return obj, before, nil
}

func (e *endpoint) validationOptions(ctx context.Context, hub, old runtime.Object) map[string]bool {
	if e.def.Strategy.ValidationOptions == nil {
		return nil
	}
	return e.def.Strategy.ValidationOptions(ctx, hub, old)
}

// unseenRules asks the rules about what an update changes in the document of current, a canonical
// value, and perhaps not in the Go value. That is whether something is there in which there is
// nothing. Go takes that for unchanged, so the rules are asked as about a new object. What they
// find counts if it is about such a place and is not known yet.
func (e *endpoint) unseenRules(ctx context.Context, op operation.Operation, obj runtime.Object, sent *presence, current []byte, known field.ErrorList) (field.ErrorList, error) {
	if sent == nil || !sent.kept || !e.Kind.Validates() {
		return nil, nil
	}
	_, old, err := e.Parts(current)
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
	places := document.Unseen(was, sent.tree, e.Documents.Shape, rules.Enough)
	if len(places) == 0 {
		return nil, nil
	}
	op.Type = operation.Create
	found, err := askRules(sent.inform(ctx), e.Kind, op, obj, nil)
	already := violations{}
	already.add(known)
	return slices.DeleteFunc(found, func(v *field.Error) bool {
		return already[violationOf(v)] || !places.Touch(v.Field)
	}), err
}

// withoutReset leaves out what is wrong with a status that the write has taken from elsewhere:
// nobody could mend it.
func (e *endpoint) withoutReset(errs field.ErrorList) field.ErrorList {
	if e.def.CopyStatus == nil || e.subresource != "" || e.wholly {
		return errs
	}
	return slices.DeleteFunc(errs, func(err *field.Error) bool {
		return document.Within(err.Field, subresourceStatus)
	})
}

// invalid is the status of an object that did not pass validation.
func (e *endpoint) invalid(name string, errs field.ErrorList) error {
	return rest.Invalid(e.Kind.GroupVersionKind().GroupKind(), name, errs)
}

// verdict is the status of an object with violations, nil if there are none.
func (e *endpoint) verdict(name string, errs field.ErrorList) error {
	if len(errs) == 0 {
		return nil
	}
	return e.invalid(name, errs)
}

// checkMetadata is the status of metadata that has more entries than it may have, and more than
// that of the object before an update.
func (e *endpoint) checkMetadata(meta, old *metav1.ObjectMeta) error {
	return e.verdict(meta.Name, metadata.CheckSize(meta, old))
}
