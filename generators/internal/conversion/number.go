package conversion

import (
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
)

// integer describes an integer type; int and uint have different sizes on different machines.
type integer struct {
	signed      bool
	least, most int    // bits
	name        string // as the constants of package math have it
}

var integers = map[string]integer{
	"int": {true, 32, 64, "Int"}, "int8": {true, 8, 8, "Int8"}, "int16": {true, 16, 16, "Int16"},
	"int32": {true, 32, 32, "Int32"}, "int64": {true, 64, 64, "Int64"},
	"uint": {false, 32, 64, "Uint"}, "byte": {false, 8, 8, "Uint8"}, "uint16": {false, 16, 16, "Uint16"},
	"uint32": {false, 32, 32, "Uint32"}, "uint64": {false, 64, 64, "Uint64"},
}

// number converts between builtin types; ok is false if values would be lost or changed.
func number(a, b *types.Type, what string) (_ step, ok bool) {
	from, to := model.Underlying(a).Name.Name, model.Underlying(b).Name.Name
	x, isInteger := integers[from]
	y, both := integers[to]
	switch {
	case from == to, from == "float32" && to == "float64":
		return cast{b}, true
	case !isInteger || !both:
		return nil, false
	}
	out := narrow{to: b, low: lowest(x, y), high: highest(x, y), what: what}
	for _, b := range []*bound{&out.low, &out.high} {
		if b.as == from {
			b.as = ""
		}
	}
	if out.low.constant == "" && out.high.constant == "" {
		return cast{b}, true
	}
	return out, true
}

func lowest(from, to integer) bound {
	switch {
	case from.signed && !to.signed:
		return bound{"", "0"}
	case from.signed && from.most > to.least:
		return bound{"int64", "math.Min" + to.name}
	}
	return bound{}
}

func highest(from, to integer) bound {
	if from.most-sign(from) <= to.least-sign(to) {
		return bound{}
	}
	as := "uint64"
	if from.signed && to.signed {
		as = "int64"
	}
	return bound{as, "math.Max" + to.name}
}

// sign is the bit that does not hold value.
func sign(i integer) int {
	if i.signed {
		return 1
	}
	return 0
}
