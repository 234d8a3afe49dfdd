package defaulter

import (
	"go/constant"
	gotypes "go/types"
	"math/big"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
)

// reference types ref(x), where x is a constant or variable of a basic type, as a t: T(x), or a
// pointer to it.
func (c typer) reference(t *types.Type, name types.Name) (value, error) {
	if u := model.Underlying(t); u.Kind == types.Pointer {
		to, err := c.reference(u.Elem, name)
		if err != nil {
			return nil, err
		}
		return pointer{u.Elem, to}, nil
	}
	pkg := c.model.Package(name.Package)
	if pkg == nil {
		return nil, wrongf("there is no package %s; want ref(import/path.Name)", name.Package)
	}
	obj := pkg.Go.Scope().Lookup(name.Name)
	if obj == nil {
		return nil, wrongf("package %s declares no %s", name.Package, name.Name)
	}
	if name.Package != c.out && !obj.Exported() {
		return nil, wrongf("%s is not exported", name)
	}
	u := model.Underlying(t)
	if u.Kind != types.Builtin {
		return nil, wrongf("a reference can default a basic type, not %s", model.ShortName(t))
	}
	if err := fits(obj, u); err != nil {
		return nil, err
	}
	return conversion{t, reference(name)}, nil
}

// fits tells whether the compiler converts a constant or variable to a builtin type without
// changing its value.
func fits(obj gotypes.Object, u *types.Type) error {
	basic, ok := obj.Type().Underlying().(*gotypes.Basic)
	if !ok {
		return wrongf("%s has the type %s, want a constant or variable of type %s", obj.Name(), obj.Type(), u.Name.Name)
	}
	limits, isInteger := integers[u.Name.Name]
	var same bool
	switch {
	case u.Name.Name == "string":
		same = basic.Info()&gotypes.IsString != 0
	case u.Name.Name == "bool":
		same = basic.Info()&gotypes.IsBoolean != 0
	default:
		same = basic.Info()&gotypes.IsNumeric != 0 && basic.Info()&gotypes.IsComplex == 0
	}
	if !same {
		return wrongf("%s has the type %s, want %s", obj.Name(), obj.Type(), u.Name.Name)
	}
	switch obj := obj.(type) {
	case *gotypes.Const:
		if !isInteger {
			return nil
		}
		n, ok := new(big.Int).SetString(constant.ToInt(obj.Val()).ExactString(), 10)
		if !ok {
			return wrongf("%s is %s, want an integer", obj.Name(), obj.Val())
		}
		if n.Cmp(limits[0]) < 0 || n.Cmp(limits[1]) > 0 {
			return wrongf("%s is %s and does not fit in %s", obj.Name(), n, u.Name.Name)
		}
		return nil
	case *gotypes.Var:
		if from, both := integers[canonical(basic)]; isInteger && both && (from[0].Cmp(limits[0]) < 0 || from[1].Cmp(limits[1]) > 0) ||
			isInteger != both && u.Name.Name != "string" && u.Name.Name != "bool" {
			return wrongf("%s has the type %s, whose values do not all fit in %s", obj.Name(), obj.Type(), u.Name.Name)
		}
		return nil
	}
	return wrongf("%s is not a constant or variable", obj.Name())
}

// canonical is the name that the model has for a builtin type.
func canonical(b *gotypes.Basic) string {
	switch b.Kind() {
	case gotypes.Uint8:
		return "byte"
	case gotypes.Int32:
		return "int32"
	}
	return b.Name()
}
