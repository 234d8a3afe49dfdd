package serializer

import (
	"errors"
	"reflect"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/runtime/quantity"
)

type box struct {
	One    resource.Quantity            `protobuf:"bytes,1,opt,name=one"`
	Others map[string]resource.Quantity `protobuf:"bytes,2,rep,name=others"`
	Inside []box                        `protobuf:"bytes,3,rep,name=inside"`
	Name   string                       `protobuf:"bytes,4,opt,name=name"`
}

// encoded is a field of a message, with one or several bodies.
func encoded(number protowire.Number, bodies ...string) (out string) {
	for _, body := range bodies {
		out += string(protowire.AppendString(protowire.AppendTag(nil, number, protowire.BytesType), body))
	}
	return out
}

// Quantities of strangers are looked at before they are read, wherever they are in a message.
func TestQuantitiesAreBounded(t *testing.T) {
	good, bad := encoded(1, "1e3"), encoded(1, "1e-99999")
	for name, tc := range map[string]struct {
		message string
		ok      bool
	}{
		"a field":                {encoded(1, good), true},
		"a large field":          {encoded(1, bad), false},
		"an entry":               {encoded(2, encoded(1, "1e2000")+encoded(2, good)), true},
		"a large entry":          {encoded(2, encoded(1, "cpu")+encoded(2, bad)), false},
		"one that is overridden": {encoded(2, encoded(2, bad, good)), false},
		"one that is read twice": {encoded(1, bad+good), false},
		"one within":             {encoded(3, good, encoded(3, encoded(1, bad))), false},
		"no quantity":            {encoded(4, "1e2000000000"), true},
		"what is no message":     {"\x0a", false},
	} {
		err := shapeOf(reflect.TypeFor[box]()).checkQuantities([]byte(tc.message), 0)
		if (err == nil) != tc.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// review is a body that no Scheme knows.
type review struct {
	metav1.TypeMeta
	Boxes []box
}

func (r *review) DeepCopyObject() apiruntime.Object { c := *r; return &c }

// Nor does a body of a kind of an author's own keep the server busy.
func TestQuantitiesOfBodies(t *testing.T) {
	for _, tc := range []struct {
		form MediaType
		text string
		ok   bool
	}{
		{JSON, `{"Boxes":[{"One":"1e3"}]}`, true},
		{JSON, `{"Boxes":[{"Others":{"a":"1e-30000000"}}]}`, false},
		{YAML, `Boxes: [{One: "1e-30000000"}]`, false},
	} {
		_, _, err := DecodeInto([]byte(tc.text), tc.form, schema.GroupVersionKind{Version: "v1", Kind: "Review"}, new(review))
		if tc.ok && err != nil || !tc.ok && !errors.Is(err, quantity.ErrTooLarge) {
			t.Errorf("%s: %v", tc.text, err)
		}
	}
}

// chain may be as deep as a message is long.
type chain struct {
	metav1.TypeMeta
	Next *chain `protobuf:"bytes,1,opt,name=next"`
	deep int
}

func (c *chain) DeepCopyObject() apiruntime.Object { d := *c; return &d }
func (c *chain) Reset()                            { *c = chain{} }
func (c *chain) Size() int                         { return 0 }

func (c *chain) Marshal() ([]byte, error)                   { return nil, nil }
func (c *chain) MarshalToSizedBuffer(b []byte) (int, error) { return 0, nil }

func (c *chain) Unmarshal(message []byte) error {
	c.deep = len(message)
	return nil
}

// A message that is nested too deeply would end the process: a stack has its bound, too.
func TestNestingIsBounded(t *testing.T) {
	nested := func(number protowire.Number, depth int) (message []byte) {
		for range depth {
			message = protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), message)
		}
		return message
	}
	for depth, ok := range map[int]bool{100: true, maxNesting - 1: true, maxNesting + 1: false} {
		c, s := new(chain), protobufSource{}
		s.envelope.Raw = nested(1, depth)
		_, err := s.into(c)
		if ok && (err != nil || c.deep == 0) || !ok && !apierrors.IsRequestEntityTooLargeError(err) {
			t.Errorf("%d deep: %v", depth, err)
		}
	}
	if shapeOf(reflect.TypeFor[box]()).checkQuantities(nested(3, maxNesting+1), 0) == nil {
		t.Error("quantities are looked for in what is nested too deeply")
	}
}
