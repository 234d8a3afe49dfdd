package rest_test

import (
	"errors"
	"io"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/typeplane/typeplane/registry/rest"
)

type text string

func (t text) WriteTo(w io.Writer, rep rest.Representation) error {
	if rep.MediaType != rest.JSON || rep.As != rest.AsObject {
		return errors.New("this is JSON only")
	}
	_, err := io.WriteString(w, string(t))
	return err
}

func TestRead(t *testing.T) {
	var list corev1.PodList
	if err := rest.Read(text(`{"metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"a"}}]}`), &list); err != nil {
		t.Fatal(err)
	}
	if list.ResourceVersion != "7" || len(list.Items) != 1 || list.Items[0].Name != "a" {
		t.Errorf("read %+v", list)
	}
	if err := rest.Read(text(`{`), &list); err == nil {
		t.Error("half an object was read")
	}
}
