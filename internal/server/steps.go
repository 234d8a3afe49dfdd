package server

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/internal/writesteps"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/serializer"
)

// writes says whether the request writes one object.
func (c *call) writes() bool {
	return slices.Contains([]string{"create", "update", "patch"}, c.info.Verb)
}

// wantSteps has the steps of a write noted.
func (c *call) wantSteps() error {
	if !slices.Contains(c.query["dryRun"], metav1.DryRunAll) {
		return apierrors.NewBadRequest("as=WriteSteps shows what a try of a write comes to: add dryRun=All")
	}
	c.request.Steps = new(rest.Steps)
	return nil
}

// stepsView shows the steps of a write, with its answer.
type stepsView struct {
	scheme *runtime.Scheme
	steps  *rest.Steps
	answer rest.View
}

// WriteTo implements rest.View. It writes JSON only.
func (v stepsView) WriteTo(w io.Writer, rep rest.Representation) error {
	var object bytes.Buffer
	if err := v.answer.WriteTo(&object, rest.Representation{MediaType: rest.JSON}); err != nil {
		return err
	}
	shown, err := writesteps.Answer(v.scheme, v.steps, object.Bytes())
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	data, err := json.Marshal(shown)
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	if rep.Pretty {
		var indented bytes.Buffer
		if err := serializer.Indent(&indented, data, ""); err != nil {
			return apierrors.NewInternalError(err)
		}
		data = indented.Bytes()
	}
	_, err = w.Write(append(data, '\n'))
	return err
}
