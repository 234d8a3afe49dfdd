package rest

import (
	"context"
	"slices"
)

// Request is what a write has beside its object: what it must pass, and who is told of it. Every
// verb that writes takes one, and hands it on to the verb that it wraps. It is for one goroutine,
// and for one request of a client; an empty one is a write of the server itself.
//
// Who asks is in the context (auth.UserFrom), where the functions of a strategy see it too.
type Request struct {
	Notes
	// CreateDenied is why the user may change an object but not make it, an API status; nil: they
	// may. An update or a patch that would have to make the object fails with it. The caller of the
	// verb decides, since only the caller knows the user.
	CreateDenied error
	// Sent is what the object of an update was read from, so that it can be read again when
	// another writer comes first; with none it is copied before. A verb that hands on another
	// object than it was given hands on no Sent.
	Sent Sent

	// Steps takes note of what becomes of the object on the way; nil: nobody wants to see it.
	Steps *Steps

	checks []Check
}

// Sent is the body of a request, which is never modified. An empty one is none.
type Sent struct {
	Bytes     []byte
	MediaType MediaType
}

// Check says whether an object may be written, with an API status if not. obj is of the hub's type
// and complete except for what validation refuses; old is what is stored, nil for a new object. It
// modifies neither. It may be called several times for one request, when another writer comes
// first.
type Check func(ctx context.Context, obj, old Body) error

// With returns the request with one more check, which comes after those that it has. It is for a
// verb that wraps another and must see what a patch comes to.
func (r *Request) With(check Check) *Request {
	with := *r
	with.checks = append(slices.Clip(r.checks), check)
	return &with
}

// Check asks all checks. An implementation of a Creator, an Updater or a Patcher of whole objects
// calls it when the object is as it will be, and before that has an effect. The rules of who may
// give which rights depend on it, and for resources without a store those of admission too.
func (r *Request) Check(ctx context.Context, obj, old Body) error {
	for _, check := range r.checks {
		if err := check(ctx, obj, old); err != nil {
			return err
		}
	}
	return nil
}

// Notes are what a write says beside its answer: warnings for the client, annotations for the audit
// log. Its functions are called from the goroutine of the request. A nil Notes, and a function that
// is nil, take nothing.
type Notes struct {
	// OnWarning takes the warnings, OnAnnotation the annotations.
	OnWarning    func(text string)
	OnAnnotation func(key, value string)
	// Bodies says how much of the objects annotations may show.
	Bodies Bodies
}

// Bodies says what the audit log keeps of the objects of a request.
type Bodies int

const (
	// BodiesLeftOut: it keeps none.
	BodiesLeftOut Bodies = iota
	// BodiesKept: it keeps what a client sent.
	BodiesKept
	// BodiesSecret: it keeps none, since they are secrets, and nothing that could quote them.
	BodiesSecret
)

// Warn tells the client something that is not an error: a field that is ignored, a value that is
// deprecated. The same text is sent once.
func (n *Notes) Warn(text string) {
	if n != nil && n.OnWarning != nil {
		n.OnWarning(text)
	}
}

// Annotate adds to what the audit log says of the request. The first value of a key stays.
func (n *Notes) Annotate(key, value string) {
	if n != nil && n.OnAnnotation != nil {
		n.OnAnnotation(key, value)
	}
}

// AnnotateBody is Annotate for a value that has a part of an object in it: it is made, and added,
// only where such are kept.
func (n *Notes) AnnotateBody(key string, value func() string) {
	if n != nil && n.Bodies == BodiesKept {
		n.Annotate(key, value())
	}
}

// MayQuote says whether an annotation may have words in it that were made of the object, like a
// message.
func (n *Notes) MayQuote() bool { return n == nil || n.Bodies != BodiesSecret }
