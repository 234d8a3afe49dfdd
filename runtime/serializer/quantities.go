package serializer

import (
	"reflect"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/typeplane/typeplane/runtime/quantity"
	"github.com/typeplane/typeplane/runtime/wire"
)

var quantityType = reflect.TypeFor[resource.Quantity]()

// checkQuantities refuses a message with a quantity that takes too long to be read. The methods of
// protobuf types read every one, and they are of any module, so the message is looked through
// before. An error also says that it is none.
func (s *shape) checkQuantities(message []byte, depth int) error {
	if !quantity.In(s.typ) {
		return nil
	}
	if depth == maxNesting {
		return errTooLarge()
	}
	for len(message) > 0 {
		number, body, rest, err := wire.NextField(message)
		if err == nil {
			err = s.checkField(number, body, depth)
		}
		if err != nil {
			return err
		}
		message = rest
	}
	return nil
}

func (s *shape) checkField(number int32, body []byte, depth int) error {
	if s.typ == quantityType {
		return quantity.Check(body)
	}
	p := s.fields()[number]
	switch {
	case p.of == nil:
		return nil
	case !p.dict:
		return shapeOf(p.of).checkQuantities(body, depth+1)
	}
	for len(body) > 0 { // an entry of a map: its value has number 2
		number, value, rest, err := wire.NextField(body)
		if err == nil && number == 2 {
			err = shapeOf(p.of).checkQuantities(value, depth+1)
		}
		if err != nil {
			return err
		}
		body = rest
	}
	return nil
}
