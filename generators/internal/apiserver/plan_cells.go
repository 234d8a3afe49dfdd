package apiserver

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/runtime/jsonpath"
)

// block is one Go statement that others stand in.
type block struct {
	kind blockKind
	// expr is the condition, or the slice or map.
	expr string
	// item is the variable that a block declares, key the literal of a key.
	item, key string
}

type blockKind int

const (
	blockIf       blockKind = iota // if expr {
	blockKey                       // if item, ok := expr[key]; ok {
	blockItems                     // for _, item := range expr {
	blockPointers                  // for i := range expr { item := &expr[i]
	blockValues                    // for every value of a map, by key
)

// compiler turns a path into a cell. at is the type of value, which has been reached.
type compiler struct {
	cell    cell
	at      *types.Type
	path    string // what has been read, behind the name of the kind
	message string
	cure    string
	items   int
}

// compileCell compiles a path from the kind on, or says what is wrong with it.
func compileCell(kind *types.Type, steps []jsonpath.Step, typ string) (c cell, message, cure string) {
	b := &compiler{at: kind, path: kind.Name.Name, cell: cell{value: "in", typ: typ}}
	for i, s := range steps {
		if b.step(s, i == len(steps)-1); b.message != "" {
			return c, b.message, b.cure
		}
		b.path += s.Text
	}
	if b.finish(); b.message != "" {
		return c, b.message, b.cure
	}
	return b.cell, "", ""
}

func (b *compiler) bad(message, cure string) { b.message, b.cure = message, cure }

// open adds a block, but no condition that holds already.
func (b *compiler) open(k block) {
	if k.kind != blockIf || !slices.Contains(b.cell.blocks, k) {
		b.cell.blocks = append(b.cell.blocks, k)
	}
}

// follow goes on where a pointer leads. Go does so itself for the fields of a struct.
func (b *compiler) follow() {
	if b.at.Kind == types.Pointer {
		b.open(block{kind: blockIf, expr: b.cell.value + " != nil"})
		b.at = b.at.Elem
		if model.Underlying(b.at).Kind != types.Struct {
			b.cell.value = "(*" + b.cell.value + ")"
		}
	}
}

// followLast is follow for the end of the path.
func (b *compiler) followLast() {
	if b.at.Kind == types.Pointer {
		b.open(block{kind: blockIf, expr: b.cell.value + " != nil"})
		b.at, b.cell.value = b.at.Elem, "*"+b.cell.value
	}
}

func (b *compiler) step(s jsonpath.Step, last bool) {
	b.follow()
	switch at := model.Underlying(b.at); {
	case s.Kind == jsonpath.Name && at.Kind == types.Struct:
		b.field(s.Field)
	case s.Kind == jsonpath.Name && at.Kind == types.Map && textOf(at.Key) == "string":
		item := b.item("value")
		b.open(block{kind: blockKey, expr: b.cell.value, key: fmt.Sprintf("%q", s.Field), item: item})
		b.cell.value, b.at = item, at.Elem
	case s.Kind == jsonpath.Index && isSequence(at):
		b.index(s.Index, at)
	case s.Kind == jsonpath.Each && isSequence(at):
		b.cell.many = true
		b.each(at, last)
	case s.Kind == jsonpath.Each && at.Kind == types.Map && textOf(at.Key) == "string":
		b.cell.many = true
		item := b.item("value")
		b.open(block{kind: blockValues, expr: b.cell.value, item: item})
		b.cell.value, b.at = item, at.Elem
	case s.Kind == jsonpath.Where && isSequence(at):
		b.each(at, last)
		b.filter(s)
	case s.Kind == jsonpath.Name && isSequence(at):
		b.bad(fmt.Sprintf("%s is a list, which has no field %s", b.path, s.Field), `say which item: [0], [*] or [?(@.type=="Ready")]`)
	default:
		b.bad(fmt.Sprintf("%s is a %s, and %s leads nowhere in it", b.path, b.at, s.Text), "end the path before it, or name a field")
	}
}

func isSequence(t *types.Type) bool { return t.Kind == types.Slice || t.Kind == types.Array }

func (b *compiler) field(name string) {
	steps, next := jsonField(model.Underlying(b.at), name)
	if next == nil {
		b.bad(noField(b.path, model.Underlying(b.at), name))
		return
	}
	for i, step := range steps {
		b.cell.value += "." + step.Name
		if i < len(steps)-1 && step.Type.Kind == types.Pointer {
			b.open(block{kind: blockIf, expr: b.cell.value + " != nil"})
		}
	}
	b.at = next
}

func (b *compiler) index(n int, list *types.Type) {
	value := b.cell.value
	if n >= 0 {
		b.open(block{kind: blockIf, expr: fmt.Sprintf("len(%s) > %d", value, n)})
		b.cell.value = fmt.Sprintf("%s[%d]", value, n)
	} else {
		b.open(block{kind: blockIf, expr: fmt.Sprintf("len(%s) >= %d", value, -n)})
		b.cell.value = fmt.Sprintf("%s[len(%s)%d]", value, value, n)
	}
	b.at = list.Elem
}

func (b *compiler) each(list *types.Type, last bool) {
	k := block{kind: blockItems, expr: b.cell.value, item: b.item("item")}
	if model.Underlying(list.Elem).Kind == types.Struct && !last {
		k.kind = blockPointers // a large struct is not copied
	}
	b.cell.texts = last && len(b.cell.blocks) == 0 && list.Kind == types.Slice && list.Elem == types.String
	b.open(k)
	b.cell.value, b.at = k.item, list.Elem
}

func (b *compiler) item(name string) string {
	if b.items++; b.items > 1 {
		return fmt.Sprint(name, b.items)
	}
	return name
}

// filter compiles a condition on the item that has been reached.
func (b *compiler) filter(s jsonpath.Step) {
	b.follow()
	left := &compiler{at: b.at, path: b.path + s.Text, cell: cell{value: b.cell.value}}
	for _, name := range s.Filter.Fields {
		if left.follow(); model.Underlying(left.at).Kind != types.Struct {
			b.bad(fmt.Sprintf("%s is a %s, which has no field %s", left.path, left.at, name), "compare a field of the items")
			return
		}
		if left.field(name); left.message != "" {
			b.bad(left.message, left.cure)
			return
		}
		left.path += "." + name
	}
	left.followLast()
	for _, k := range left.cell.blocks {
		b.open(k)
	}
	expr, problem := condition(s.Filter, left.cell.value, left.at)
	if problem != "" {
		b.bad(s.Text+": "+problem, "compare a string, an integer or a bool with one")
		return
	}
	b.open(block{kind: blockIf, expr: expr})
}

// condition is the Go expression that compares value, or what is wrong with it.
func condition(f jsonpath.Filter, value string, t *types.Type) (expr, problem string) {
	operator := " == "
	if f.Not {
		operator = " != "
	}
	switch literal := f.Literal.(type) {
	case string:
		if textOf(t) == "string" {
			return value + operator + fmt.Sprintf("%q", literal), ""
		}
	case int64:
		if textOf(t) == "int" || textOf(t) == "uint" && literal >= 0 {
			return value + operator + fmt.Sprint(literal), ""
		}
	case bool:
		if textOf(t) == "bool" && literal != f.Not {
			return value, ""
		}
		if textOf(t) == "bool" {
			return "!" + value, ""
		}
	}
	return "", fmt.Sprintf("a %s can't be compared with %#v", t, f.Literal)
}

// finish checks that the column can show what the path leads to.
func (b *compiler) finish() {
	b.followLast()
	b.cell.leaf = b.at
	if b.cell.typ != "string" || b.cell.form() == jsonForm {
		b.cell.many = false // the first one is shown
	}
	if b.cell.form() == "" {
		b.bad(fmt.Sprintf("%s is a %s, which a column of type %s can't show", b.path, b.at, b.cell.typ), b.cureOfType())
	}
}

func (b *compiler) cureOfType() string {
	for _, typ := range []string{"integer", "number", "boolean", "date"} {
		if c := (cell{leaf: b.at, typ: typ}); c.form() != "" {
			return "say type=" + typ
		}
	}
	return "say type=string"
}

// jsonForm is the form of what is neither text nor a number: its JSON.
const jsonForm = "json"

// form is how the value becomes what the column shows, by the names that emit knows; "" if it
// can't.
func (c cell) form() string {
	name, text := model.Underlying(c.leaf).Name, textOf(c.leaf)
	if b := model.Underlying(c.leaf); b.Kind == types.Builtin && (name.Name == "float32" || name.Name == "float64") {
		text = "float"
	}
	switch c.leaf.Name.String() {
	case metaV1 + ".Time", metaV1 + ".MicroTime", metaV1 + ".Duration":
		text = c.leaf.Name.Name
	case "k8s.io/apimachinery/pkg/util/intstr.IntOrString", "k8s.io/apimachinery/pkg/api/resource.Quantity":
		text = "Stringer"
	}
	switch c.typ {
	case "string":
		return cmp.Or(text, jsonForm)
	case "integer":
		if text == "int" || text == "uint" {
			return "integer"
		}
	case "number":
		if text == "int" || text == "uint" || text == "float" {
			return "number"
		}
	case "boolean":
		if text == "bool" {
			return "boolean"
		}
	case "date":
		if text == "Time" {
			return "date"
		}
		if text == "MicroTime" {
			return "microdate"
		}
	}
	return ""
}
