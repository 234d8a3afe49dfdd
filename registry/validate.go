package registry

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/rules"
	"github.com/typeplane/typeplane/trace"
)

// expressionBudget is what the rules about an object that are expressions may cost in all, in steps
// of CEL: about a second. It is Kubernetes' for a custom resource.
const expressionBudget = 10_000_000

// An object is judged by four: the rules of metadata, those that the markers of its Go type state
// (compiled, for the version of the request), those of the storage version, and those of the
// strategy. All that they find is reported together.

// validateCreate says what is wrong with a new object, which was made of from.
func (e *endpoint) validateCreate(ctx context.Context, hub runtime.Object, from *origin) (err error) {
	ctx, step := trace.Begin(ctx, "validate")
	defer func() { step.End(err) }()
	compiled, err := e.compiledRules(ctx, operation.Create, hub, from, nil, nil)
	if err != nil {
		return err
	}
	meta := runtime.Meta(hub)
	errs := append(e.validateNew(meta), compiled...)
	if strategy := &e.def.Strategy; strategy.Validate != nil {
		errs = append(errs, strategy.Validate(ctx, hub)...)
	}
	return e.verdict(meta.Name, errs)
}

// validateUpdate says what is wrong with an object that is to follow old, which current holds, and
// was made of from, and with the change.
func (e *endpoint) validateUpdate(ctx context.Context, hub, old runtime.Object, from *origin, current []byte) (err error) {
	ctx, step := trace.Begin(ctx, "validate")
	defer func() { step.End(err) }()
	compiled, err := e.compiledRules(ctx, operation.Update, hub, from, old, current)
	if err != nil {
		return err
	}
	meta := runtime.Meta(hub)
	errs := append(e.validateChange(meta, runtime.Meta(old)), compiled...)
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
func (e *endpoint) compiledRules(ctx context.Context, typ operation.Type, hub runtime.Object, from *origin, old runtime.Object, current []byte) (field.ErrorList, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	op := operation.Operation{Type: typ, Options: e.validationOptions(ctx, hub, old)}
	if e.subresource != "" {
		op.Request.Subresources = []string{e.subresource}
	}
	sent := e.presenceOf(ctx, hub, from)
	obj, before, err := e.judged(sent, hub, old, current)
	if err != nil {
		return nil, err
	}
	own, err := askRules(sent.inform(ctx), e.kind, op, obj, before)
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

// judged are an object and the one that it is to follow, nil for none, as the rules of the version
// of the request look at them, if it has any. A conversion in Go makes something of what was not sent, and drops
// what was; so a version that has one is judged by the documents, where there are any.
func (e *endpoint) judged(sent *presence, hub, old runtime.Object, current []byte) (obj, before runtime.Object, err error) {
	if !e.kind.Validates() {
		return nil, nil, nil
	}
	obj, before, err = converted(e.kind.FromHub, hub, old)
	if err != nil || sent == nil || e.documents == nil || !e.kind.ConvertsInGo() {
		return obj, before, err
	}
	if sent.look(); sent.tree == nil {
		return obj, before, nil
	}
	if obj, err = e.documents.read(sent.of, runtime.Meta(hub)); err == nil && sent.kept {
		e.kind.Default(obj) // as the stored one is, also where its document has no object for them
		if old != nil {
			before, err = e.codec.decode(current)
		}
	}
	if err != nil {
		return nil, nil, apierrors.NewInternalError(fmt.Errorf("read what was sent to validate it: %w", err))
	}
	return obj, before, nil
}

// converted are an object and the one that it is to follow, nil for none, in the version to which
// convert leads.
func converted(convert func(runtime.Object) (runtime.Object, error), hub, old runtime.Object) (obj, before runtime.Object, err error) {
	if obj, err = convert(hub); err != nil {
		return nil, nil, apierrors.NewInternalError(fmt.Errorf("convert an object to validate it: %w", err))
	}
	if old == nil {
		return obj, nil, nil
	}
	if before, err = convert(old); err != nil {
		return nil, nil, apierrors.NewInternalError(fmt.Errorf("convert the old object to validate an update: %w", err))
	}
	return obj, before, nil
}

// askRules asks the rules of a version. In an update they see the old object too, so that what was
// not changed is not judged again: a rule that became stricter is for what is written from then on.
// Rules that are marked as alpha are on trial, and count for nothing.
func askRules(ctx context.Context, kind *runtime.Kind, op operation.Operation, obj, before runtime.Object) (field.ErrorList, error) {
	if !kind.Validates() {
		return nil, nil
	}
	var errs field.ErrorList
	for _, err := range kind.Validate(rules.WithBudget(ctx, expressionBudget), op, obj, before) {
		if !err.IsAlpha() {
			errs = append(errs, err)
		}
	}
	return errs, ctx.Err() // the rules stop looking when nobody waits for the answer any more
}

func (e *endpoint) validationOptions(ctx context.Context, hub, old runtime.Object) map[string]bool {
	if e.def.Strategy.ValidationOptions == nil {
		return nil
	}
	return e.def.Strategy.ValidationOptions(ctx, hub, old)
}

// verdict is the status of an object with violations, nil if there are none.
func (e *endpoint) verdict(name string, errs field.ErrorList) error {
	if len(errs) == 0 {
		return nil
	}
	return e.invalid(name, errs)
}
