package registry

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/operation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/registry/internal/apistatus"
	"github.com/typeplane/typeplane/registry/internal/metadata"
	"github.com/typeplane/typeplane/registry/internal/subresource"
	"github.com/typeplane/typeplane/registry/internal/view"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
)

// Subresource is a part of the path below an object that the author of the kind answers:
// …/books/{name}/lend. Getter, Action, Change, Part and Connector make them. It is immutable.
type Subresource[T runtime.Object] struct {
	name string
	// writes is the function of a Part, nil for all others.
	writes   func(ctx context.Context, obj, sent runtime.Object) error
	versions []schema.GroupVersion // nil: all of the kind
	// serve fills in the verbs of r, which has its names already. The endpoint belongs to the
	// subresource.
	serve func(e *endpoint, r *rest.Resource)
	body  any                // an empty one of what is sent; nil: nothing is
	rules *subresource.Rules // of that
	// parameters are the options of a Connector, nil for all others.
	parameters []rest.QueryParameter
	problem    string
}

// In returns the subresource for some of the versions of its kind; without it, it is there in all.
func (s Subresource[T]) In(versions ...schema.GroupVersion) Subresource[T] {
	s.versions = slices.Clone(versions)
	return s
}

// Getter is a subresource that is read: GET …/{name}/{subresource} answers with what get makes of
// the object. answer is the kind of that, which is filled in. obj belongs to get.
//
// If A is an interface, the kind is that of the returned type: of a kind of the server, a Status, a
// Table, a PartialObjectMetadata or a Scale. An object of another type has to name its kind.
func Getter[T runtime.Object, A apiruntime.Object](name string, answer schema.GroupVersionKind, get func(ctx context.Context, obj T) (A, error)) Subresource[T] {
	return Subresource[T]{name: name, serve: func(e *endpoint, r *rest.Resource) {
		r.BodyKind = answer
		r.Get = getPart[A]{e, answer, func(ctx context.Context, obj runtime.Object) (A, error) { return get(ctx, obj.(T)) }}
	}}
}

// Action is a subresource that does something: POST …/{name}/{subresource} with an object of the
// kind body is answered with what act returns, which is of the kind answer. That is filled in as
// for a Getter. A request without a body has an empty one. act is called once for each request; it
// changes the object that the subresource belongs to, if it does, with of.Update. It has to leave
// everything else as it is where of.DryRun says so.
func Action[T runtime.Object, B any, P bodyType[B], A apiruntime.Object](
	name string, body, answer schema.GroupVersionKind, act func(ctx context.Context, of *Parent[T], in P) (A, error),
) Subresource[T] {
	return Subresource[T]{name: name, body: newBody[B, P](), serve: func(e *endpoint, r *rest.Resource) {
		r.BodyKind, r.NewBody, r.BodyOptional = body, newBody[B, P], true
		if answer != body {
			r.AnswerKind = answer
		}
		r.Create = actPart[P, A]{e, bodyOf{body, newBody[B, P]}, answer, func(ctx context.Context, of *Parent[runtime.Object], in P) (A, error) {
			return act(ctx, typedParent[T](of), in)
		}}
	}}
}

// Change is a subresource that changes the object which it belongs to, as pods/binding does. POST
// …/{name}/{subresource} with an object of the kind body is answered with a Status. The function
// apply changes obj, which is a copy of what is stored. It is called again when another writer
// comes first, so it must have no effect outside of obj. The uid and the resourceVersion of the
// body, if it has any, are those that obj must have.
//
// What apply makes of obj has to be valid by the rules of metadata, by those in the markers of the
// kind, and by Strategy.Validate. Strategy.ValidateUpdate, which says what clients may change, is
// not asked.
func Change[T runtime.Object, B any, P bodyType[B]](name string, body schema.GroupVersionKind, apply func(ctx context.Context, obj T, in P) error) Subresource[T] {
	return Subresource[T]{name: name, body: newBody[B, P](), serve: func(e *endpoint, r *rest.Resource) {
		r.BodyKind, r.NewBody = body, newBody[B, P]
		r.AnswerKind = statusKind
		r.Create = changePart[P]{e, bodyOf{body, newBody[B, P]}, func(ctx context.Context, obj runtime.Object, in P) error {
			return apply(ctx, obj.(T), in)
		}}
	}}
}

// Part is a subresource that writes a part of the object, as the status is one:
// certificatesigningrequests/approval of Kubernetes is. GET, PUT and PATCH
// …/{name}/{subresource} read and send the object itself. The function apply changes obj, which is
// a copy of what is stored, to what of sent the part is, or says what is wrong with that. Both
// belong to it. It is called again when another writer comes first, so it must have no effect
// outside of obj. Metadata stays as it is stored, whatever was sent.
//
// What apply makes of obj has to be valid by the same rules as what a Change makes of it.
func Part[T runtime.Object](name string, apply func(ctx context.Context, obj, sent T) error) Subresource[T] {
	return Subresource[T]{
		name:   name,
		writes: func(ctx context.Context, obj, sent runtime.Object) error { return apply(ctx, obj.(T), sent.(T)) },
		serve: func(e *endpoint, r *rest.Resource) {
			r.Get, r.Update, r.Patch, r.PatchTypes = e, e, e, e.patchTypes()
		},
	}
}

// WithRules returns a subresource that fills in the defaults of what it takes, and refuses what
// breaks the rules in the markers of its type, before anybody sees it. The functions are those that
// gen prints beside the type P, which is the body or the options; one that is nil has nothing to
// say. Admission comes between the two.
func WithRules[T runtime.Object, P any](
	s Subresource[T], setDefaults func(in P), validate func(ctx context.Context, op operation.Operation, fldPath *field.Path, obj, oldObj P) field.ErrorList,
) Subresource[T] {
	s.rules = subresource.RulesOf(setDefaults, validate)
	if _, ok := s.body.(P); !ok {
		s.problem = fmt.Sprintf("its rules are for a %T, and it takes a %T", *new(P), s.body)
	}
	return s
}

// bodyType is a pointer to a struct that clients send.
type bodyType[B any] interface {
	*B
	rest.Body
}

func newBody[B any, P bodyType[B]]() rest.Body { return P(new(B)) }

var statusKind = schema.GroupVersionKind{Version: "v1", Kind: "Status"}

// checkSubresources says what is wrong with the subresources of a definition.
func checkSubresources(def *definition, bad func(format string, args ...any)) {
	seen := map[string]bool{}
	if def.CopyStatus != nil {
		seen[subresourceStatus] = true
	}
	for _, s := range def.Subresources {
		switch {
		case s.serve == nil:
			bad("a subresource is empty: make it with Getter, Action, Change, Part or Connector")
		case s.problem != "":
			bad("subresource %s: %s", s.name, s.problem)
		case len(validation.IsDNS1123Label(s.name)) > 0:
			bad("subresource %q: its name must be a lower-case path segment, like restart", s.name)
		case seen[s.name] || s.name == subresourceScale || s.name == subresourceFinalize:
			bad("subresource %s: the name is taken", s.name)
		}
		seen[s.name] = true
		for _, gv := range s.versions {
			if !slices.Contains(def.Versions, gv) {
				bad("subresource %s: version %s is not served", s.name, gv)
			}
		}
	}
}

// authored returns the subresources of the author in the version of the endpoint. part makes one
// of main without verbs.
func (e *endpoint) authored(main rest.Resource, part func(name string) rest.Resource) ([]rest.Resource, error) {
	var parts []rest.Resource
	for _, s := range e.def.Subresources {
		if s.versions != nil && !slices.Contains(s.versions, e.Kind.GroupVersionKind().GroupVersion()) {
			continue
		}
		own := *e
		own.subresource, own.wholly, own.rules, own.writes = s.name, true, s.rules, s.writes
		var err error
		if own.owners, err = e.ownersBy(s.name, e.resetFields(s.name)...); err != nil {
			return nil, err
		}
		r := part(s.name)
		if s.writes != nil {
			r.Documents, r.Texts, r.Misread = main.Documents, main.Texts, main.Misread
		}
		s.serve(&own, &r)
		parts = append(parts, r)
	}
	return parts, nil
}

// getPart, actPart and changePart are the verbs of subresources of an author.
type (
	getPart[A apiruntime.Object] struct {
		of     *endpoint
		answer schema.GroupVersionKind
		get    func(context.Context, runtime.Object) (A, error)
	}
	actPart[P rest.Body, A apiruntime.Object] struct {
		of *endpoint
		bodyOf
		answer schema.GroupVersionKind
		act    func(context.Context, *Parent[runtime.Object], P) (A, error)
	}
	changePart[P rest.Body] struct {
		of *endpoint
		bodyOf
		apply func(context.Context, runtime.Object, P) error
	}
)

// bodyOf is what a subresource takes.
type bodyOf struct {
	kind schema.GroupVersionKind
	new  func() rest.Body
}

func (b bodyOf) sent(req *rest.Request, name rest.Name, opts *metav1.CreateOptions) sent {
	return sent{
		req: req, op: admission.Create, name: name, kind: b.kind,
		new: func() apiruntime.Object { return b.new() }, opts: opts, dryRun: isDryRun(opts.DryRun),
	}
}

func (p getPart[A]) Get(ctx context.Context, name rest.Name, opts metav1.GetOptions) (rest.View, error) {
	obj, err := p.of.parent(ctx, name, opts)
	if err != nil {
		return nil, err
	}
	answer, err := p.get(ctx, obj)
	if err != nil {
		return nil, apistatus.OfAuthor(err, p.answer.GroupKind(), name.Name)
	}
	return answerView(p.of, answer, p.answer)
}

func (p actPart[P, A]) Create(ctx context.Context, req *rest.Request, name rest.Name, obj rest.Body, opts metav1.CreateOptions) (rest.View, error) {
	of, err := p.of.newParent(ctx, req, name, opts.FieldManager, isDryRun(opts.DryRun))
	if err != nil {
		return nil, err
	}
	in, err := receive(ctx, p.of, p.sent(req, name, &opts), obj.(P))
	if err != nil {
		return nil, err
	}
	answer, err := p.act(ctx, of, in)
	if err != nil {
		return nil, apistatus.OfAuthor(err, p.kind.GroupKind(), name.Name)
	}
	return answerView(p.of, answer, p.answer)
}

func (p changePart[P]) Create(ctx context.Context, req *rest.Request, name rest.Name, obj rest.Body, opts metav1.CreateOptions) (rest.View, error) {
	in, err := receive(ctx, p.of, p.sent(req, name, &opts), obj.(P))
	if err != nil {
		return nil, err
	}
	_, err = p.of.rewrite(ctx, req, name, opts.FieldManager, isDryRun(opts.DryRun), func(obj runtime.Object) error {
		if err := p.apply(ctx, obj, in); err != nil {
			return apistatus.OfAuthor(err, p.kind.GroupKind(), name.Name)
		}
		meta := runtime.Meta(obj)
		if uid := in.GetUID(); uid != "" {
			meta.UID = uid
		}
		if revision := in.GetResourceVersion(); revision != "" {
			meta.ResourceVersion = revision
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return view.Struct{Obj: &metav1.Status{Status: metav1.StatusSuccess, Code: 201}}, nil
}

// receive makes of what a client sent what an author gets: the body for the object that the path
// names, with its defaults, admitted and valid.
func receive[B rest.Body](ctx context.Context, e *endpoint, to sent, body B) (B, error) {
	if err := e.matchBody(body, to.name); err != nil {
		return body, err
	}
	e.rules.Fill(body)
	body, err := admitBody(ctx, e, to, body)
	if err != nil {
		return body, err
	}
	return body, e.rules.Judge(ctx, e.subresource, to.kind.GroupKind(), to.name.Name, body)
}

// matchBody makes the name and the namespace of a body those of the request, or says that they
// differ.
func (s *store) matchBody(body rest.Body, name rest.Name) error {
	meta, ok := runtime.MetaOf(body)
	if !ok {
		return nil
	}
	if err := metadata.MatchName(meta, name); err != nil {
		return err
	}
	return metadata.PlaceIn(meta, s.Namespaced, name)
}

// Answer returns the view of an object that a verb of a rest.Resource has made itself. The kind of
// a Status, a Table, a PartialObjectMetadata or a Scale is filled in; any other object has to name
// its kind, or the answer is an error.
func Answer(obj apiruntime.Object) rest.View { return view.Struct{Obj: obj} }

// answerView returns the view of an author's answer. declared is the kind of the type A. If A is an
// interface, the kind is that of the answer's own type.
func answerView[A apiruntime.Object](e *endpoint, answer A, declared schema.GroupVersionKind) (rest.View, error) {
	value := reflect.ValueOf(answer)
	if !value.IsValid() || value.Kind() == reflect.Pointer && value.IsNil() {
		return nil, apierrors.NewInternalError(fmt.Errorf("subresource %s: there is no answer and no error", e.subresource))
	}
	kind := declared
	if reflect.TypeFor[A]().Kind() == reflect.Interface {
		if kind = view.KindOf(answer); kind.Empty() {
			kind = answer.GetObjectKind().GroupVersionKind()
		}
		if registered, err := e.codec.Scheme.KindOf(answer); err == nil {
			kind = registered.GroupVersionKind()
		}
	}
	answer.GetObjectKind().SetGroupVersionKind(kind)
	return view.Struct{Obj: answer}, nil
}
