package registry

import (
	"bytes"
	"context"
	"errors"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/registry/internal/canonical"
	"github.com/typeplane/typeplane/registry/internal/judge"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/storage"
)

// write is a request to write on its way through the steps. It is for one goroutine.
type write struct {
	*rest.Request
	// sent is the object in the request; after an attempt's mutating admission, with its changes.
	sent judge.Sent
	// judged is what admission is asked about, attempted what it writes with the object. nil:
	// admission has nothing to say, or has judged something else already.
	judged, attempted *admission.Request
}

// as is the write once it is known what admission is asked about.
func (w *write) as(request *admission.Request) *write {
	one := *w
	one.judged, one.attempted = request, request
	return &one
}

// updating begins a write of an object that is there.
func (e *endpoint) updating(req *rest.Request, name rest.Name, opts *metav1.UpdateOptions) *write {
	w := &write{Request: req}
	return w.as(e.request(w, admission.Update, name, opts, opts.DryRun))
}

// finishedError leaves a write of an object that is to be removed instead.
type finishedError struct {
	value   []byte // what would have been written
	current storage.Entry
	with    func(context.Context) ([]storage.Op, error) // what is written with the removal
	over    func(error)                                 // is called after it
}

var errFinished = errors.New("the object is finished")

func (*finishedError) Error() string { return errFinished.Error() }

// write runs try against the current entry until its value is written, or removes the entry if try
// says so. A dry run does neither. The attempts are those of attempted: what comes after a write
// begins when they are over. It is nil if they are nobody's. The entry that it returns is what the
// client gets to see.
func (s *store) write(ctx context.Context, key string, dryRun bool, attempted *admission.Request, try storage.TryUpdate) (storage.Entry, error) {
	defer attempted.Over(errFinished) // in case of a panic
	for {
		var before storage.Entry // what the last attempt saw
		entry, err := s.writeOnce(ctx, key, dryRun, func(current storage.Entry) ([]byte, []storage.Op, error) {
			before = current
			return try(current)
		})
		attempted.Over(err)
		var finished *finishedError
		if !errors.As(err, &finished) {
			if err == nil && !dryRun && !bytes.Equal(entry.Value, before.Value) {
				s.afterUpdate(ctx, entry, before)
			}
			return entry, err
		}
		current := finished.current
		if !dryRun {
			_, err := s.backend.Delete(ctx, key, finished.check(ctx))
			finished.over(err)
			if errors.Is(err, errRevisionMoved) {
				continue
			}
			// Gone is what was wanted, whoever did it.
			if err != nil && storage.CodeOf(err) != storage.CodeNotFound {
				return storage.Entry{}, err
			}
			if err == nil {
				s.afterDelete(ctx, storage.Entry{Key: key, Value: finished.value, Revision: current.Revision})
			}
		}
		return storage.Entry{Key: key, Value: finished.value, Revision: current.Revision}, nil
	}
}

func (s *store) writeOnce(ctx context.Context, key string, dryRun bool, try storage.TryUpdate) (storage.Entry, error) {
	if !dryRun {
		return s.backend.GuaranteedUpdate(ctx, key, func(current storage.Entry) ([]byte, []storage.Op, error) {
			value, with, err := try(current)
			if err != nil || bytes.Equal(value, current.Value) {
				return value, nil, err
			}
			return value, slices.Concat(s.with, with), nil
		})
	}
	current, err := s.backend.Get(ctx, key, storage.GetOptions{})
	if err != nil {
		return storage.Entry{}, err
	}
	current.Value, _, err = try(current)
	return current, err
}

var errRevisionMoved = errors.New("the entry is no longer at the expected revision")

// check allows the deletion of the one version that is finished.
func (f *finishedError) check(ctx context.Context) storage.CheckDelete {
	return func(current storage.Entry) ([]storage.Op, error) {
		if current.Revision != f.current.Revision {
			return nil, errRevisionMoved
		}
		return f.with(ctx)
	}
}

func isDryRun(dryRun []string) bool {
	for _, d := range dryRun {
		if d == metav1.DryRunAll {
			return true
		}
	}
	return false
}

// updateOptions are what admission sees of a patch, which is an update like any other.
func updateOptions(opts metav1.PatchOptions) *metav1.UpdateOptions {
	return &metav1.UpdateOptions{DryRun: opts.DryRun, FieldManager: opts.FieldManager, FieldValidation: opts.FieldValidation}
}

// put creates the entry, and what is to be written with it, or says what would come of it.
func (s *store) put(ctx context.Context, key string, value []byte, with []storage.Op, opts metav1.CreateOptions) (storage.Entry, error) {
	if isDryRun(opts.DryRun) {
		return s.pretendCreate(ctx, key, value)
	}
	return s.backend.Create(ctx, key, value, slices.Concat(s.with, with)...)
}

// encodeHub makes the canonical value of an object that is ready to be stored, and was made of
// from.
func (s *store) encodeHub(hub runtime.Object, from *canonical.Origin) ([]byte, error) {
	obj, err := s.codec.FromHub(hub)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	value, err := s.codec.Encode(obj, from)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	return value, nil
}

// pretendCreate is what the store would say to a create, without it.
func (s *store) pretendCreate(ctx context.Context, key string, value []byte) (storage.Entry, error) {
	switch _, err := s.backend.Get(ctx, key, storage.GetOptions{}); storage.CodeOf(err) {
	case storage.CodeNotFound:
		return storage.Entry{Key: key, Value: value}, nil
	case storage.CodeCorrupt:
		return storage.Entry{}, &storage.Error{Code: storage.CodeExists, Op: "create", Key: key}
	default:
		if err == nil {
			err = &storage.Error{Code: storage.CodeExists, Op: "create", Key: key}
		}
		return storage.Entry{}, err
	}
}

// validation is what says what is wrong with what is written through the endpoint.
func (e *endpoint) validation() *judge.Judge {
	rules := &e.def.Strategy
	return &judge.Judge{
		Version: e.Version, Codec: e.codec, Metadata: e.metadata, Subresource: e.subresource, Wholly: e.wholly,
		KeepsStatus: e.def.CopyStatus != nil, Default: e.defaulted,
		Strategy: judge.Strategy{
			Validate: rules.Validate, ValidateUpdate: rules.ValidateUpdate,
			ValidateStatusUpdate: rules.StatusUpdate.Validate, ValidationOptions: rules.ValidationOptions,
		},
	}
}
