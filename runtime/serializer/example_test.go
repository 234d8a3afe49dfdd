package serializer_test

import (
	"fmt"
	"log"

	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/runtime/serializer"
)

// Outside of a server: read YAML, convert it to another version, and write it as JSON.
func ExampleDecode() {
	const text = `
apiVersion: shop.example.com/v1beta1
kind: Widget
metadata: {name: a}
spec: {colour: blue, color: red}
`
	scheme := widget.Scheme()
	decoded, err := serializer.Decode(scheme, []byte(text), serializer.YAML, widget.GV1beta1.WithKind("Widget"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(decoded.StrictError()) // what was not understood; kubectl warns of it

	current, err := scheme.Convert(decoded.Object, widget.GV1.WithKind("Widget"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(current.(*widget.V1).Spec.Color)
	// Output:
	// strict decoding error: unknown field "spec.color"
	// blue
}

// The same bytes as those of a server: JSON, and protobuf in Kubernetes' envelope.
func ExampleAppend() {
	object := &widget.V1{Spec: widget.V1Spec{Color: "blue"}}
	object.Name = "a"
	object.SetGroupVersionKind(widget.GV1.WithKind("Widget"))
	for _, form := range []serializer.MediaType{serializer.JSON, serializer.Protobuf} {
		data, err := serializer.Append(nil, object, form, false)
		if err != nil {
			log.Fatal(err)
		}
		kind, err := serializer.KindOf(data, form)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(len(data), "bytes of", kind.Kind, serializer.FormOf(data))
	}
	// Output:
	// 113 bytes of Widget application/json
	// 72 bytes of Widget application/vnd.kubernetes.protobuf
}
