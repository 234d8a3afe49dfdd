package serializer

import (
	"reflect"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"k8s.io/apimachinery/pkg/api/resource"
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
	if shapeOf(reflect.TypeFor[struct{ Name string }]()).counts() {
		t.Error("there is a quantity in a string")
	}
}
