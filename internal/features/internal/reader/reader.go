// Package reader reads what plug-ins of admission have to know for every request, in this process,
// through the verbs that clients have. Objects are those of k8s.io/api, in protobuf, which is
// quicker than JSON.
package reader

import (
	"bytes"
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/wire"
)

// Object is an object of k8s.io/api, or a list of some.
type Object interface{ Unmarshal([]byte) error }

// Get reads an object. live asks the store; otherwise what is in memory will do.
func Get(ctx context.Context, from rest.Getter, name rest.Name, live bool, into Object) error {
	view, err := from.Get(ctx, name, Options(live))
	if err != nil {
		return err
	}
	return decode(view, into)
}

// List reads what there is in a namespace at this moment.
func List(ctx context.Context, from rest.Lister, namespace string, into Object) error {
	view, err := from.List(ctx, namespace, metav1.ListOptions{})
	if err != nil {
		return err
	}
	return decode(view, into)
}

// Options are those of a read that asks the store, or takes what is in memory.
func Options(live bool) metav1.GetOptions {
	if live {
		return metav1.GetOptions{}
	}
	return metav1.GetOptions{ResourceVersion: "0"}
}

// Protobuf returns what a view says as protobuf, with the envelope.
func Protobuf(view rest.View) ([]byte, error) {
	var b bytes.Buffer
	if err := view.WriteTo(&b, rest.Representation{MediaType: rest.Protobuf}); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func decode(view rest.View, into Object) error {
	data, err := Protobuf(view)
	if err != nil {
		return err
	}
	envelope, err := wire.ParseEnvelope(data)
	if err != nil {
		return err
	}
	return into.Unmarshal(envelope.Raw)
}
