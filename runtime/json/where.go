package json

import (
	"encoding/json"
	"slices"
	"strings"
)

// where is the place of an error, as encoding/json says it in type errors: the innermost struct,
// and the fields on the way to it. Nothing is kept for it while all is well: it is found out on the
// way out of the objects, after the error.
type where struct {
	// open is the depth below which the fields on the way are not known yet; 0 if there is no
	// error.
	open       int
	structName string
	fields     []string // innermost first
	// inner is what Inside said about the field at hand.
	inner string
}

// place adds what one object or array knows: a struct has a type, and its field at hand is on the
// way.
func (r *Reader) place(typ string) {
	w := &r.where
	w.open = len(r.frames)
	if typ == "" {
		return
	}
	if w.fields == nil {
		w.structName = baseName(typ)
	}
	w.fields = append(w.fields, strings.Clone(r.Name()))
	if w.inner != "" {
		w.fields = append(w.fields, w.inner)
		w.inner = ""
	}
}

// tell puts the place into a type error.
func (w *where) tell(err error) error {
	if len(w.fields) == 0 {
		return err
	}
	var field *string
	switch e := err.(type) {
	case *TypeError:
		e.Struct, field = w.structName, &e.Field
	case *json.UnmarshalTypeError:
		e.Struct, field = w.structName, &e.Field
	default:
		return err
	}
	fields := slices.Clone(w.fields)
	slices.Reverse(fields)
	if *field != "" {
		fields = append(fields, *field)
	}
	*field = strings.Join(fields, ".")
	return err
}

// baseName is a type without its package; "" for one that has no name.
func baseName(typ string) string {
	if strings.HasPrefix(typ, "struct {") {
		return ""
	}
	generic := strings.IndexByte(typ, '[')
	if dot := strings.IndexByte(typ, '.'); dot >= 0 && (generic < 0 || dot < generic) {
		return typ[dot+1:]
	}
	return typ
}
