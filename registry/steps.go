package registry

import (
	"encoding/json"

	apiruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/typeplane/typeplane/registry/internal/canonical"
	"github.com/typeplane/typeplane/registry/internal/document"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/serializer"
)

// The steps of a write are noted as they are taken. None of these functions does anything if nobody
// wants to see them; none keeps or modifies an object.

// noteSent notes an object that was read of text, or that nobody has a text of.
func (e *endpoint) noteSent(steps *rest.Steps, obj runtime.Object, text []byte) {
	switch {
	case steps == nil:
		return
	case text == nil:
		e.noteVersioned(steps, rest.StepSent, obj)
		return
	}
	steps.Note(rest.StepSent, e.apiVersion(), func() ([]byte, error) { return text, nil })
}

// noteVersioned notes what an object of the endpoint's version is after a step.
func (e *endpoint) noteVersioned(steps *rest.Steps, name rest.StepName, obj runtime.Object) {
	if steps == nil {
		return
	}
	steps.Note(name, e.apiVersion(), func() ([]byte, error) {
		is := obj.GetObjectKind()
		defer is.SetGroupVersionKind(is.GroupVersionKind())
		is.SetGroupVersionKind(e.Kind.GroupVersionKind())
		return serializer.AppendKind(nil, e.Kind, obj, serializer.JSON, false)
	})
}

// noteDocument is noteVersioned where the JSON of an object is kept.
func (e *endpoint) noteDocument(steps *rest.Steps, name rest.StepName, obj runtime.Object, doc document.Document) {
	if steps == nil {
		return
	}
	steps.Note(name, e.apiVersion(), func() ([]byte, error) {
		return canonical.AppendDocument(nil, canonical.HeadOf(e.Kind), runtime.Meta(obj), doc)
	})
}

// apiVersion is the version of the endpoint, as objects say it.
func (e *endpoint) apiVersion() string { return e.Kind.GroupVersionKind().GroupVersion().String() }

// noteHub notes what an object of the hub is after a step.
func (s *store) noteHub(steps *rest.Steps, name rest.StepName, hub runtime.Object) {
	if steps == nil {
		return
	}
	gv := s.codec.Storage.GroupVersionKind().GroupVersion()
	gv.Version = apiruntime.APIVersionInternal
	steps.Note(name, gv.String(), func() ([]byte, error) { return json.Marshal(hub) })
}

// noteStored notes the canonical value that is put at a key of the store.
func (s *store) noteStored(steps *rest.Steps, key string, value []byte) {
	if steps == nil {
		return
	}
	steps.Note(rest.StepStored, s.codec.Storage.GroupVersionKind().GroupVersion().String(), func() ([]byte, error) {
		stored, err := s.codec.Form().WriteValue(key, value)
		if err != nil {
			return nil, err
		}
		steps.Keep(rest.Stored{Key: key, Value: stored})
		return s.codec.JSON(value)
	})
}
