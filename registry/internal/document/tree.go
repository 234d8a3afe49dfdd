package document

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	runtimejson "github.com/typeplane/typeplane/runtime/json"
)

// A tree is JSON as map[string]any, []any, string, bool, int64, uint64, float64 and nil. Numbers
// are integers where they are written so and fit, as apimachinery has them in unstructured objects;
// uint64 is for those that fit there only.

// Tree is the document as a tree, which belongs to the caller.
func (d Document) Tree() (map[string]any, error) { return readTree(d.AppendObject(nil)) }

// Of makes a document of a tree, of which kind, apiVersion and metadata are left out.
func Of(tree map[string]any) (d Document) {
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		switch {
		case !inDocument(name):
		case name == memberStatus:
			d.Status = appendTree(nil, tree[name])
		default:
			if len(d.Members) > 0 {
				d.Members = append(d.Members, ',')
			}
			d.Members = append(runtimejson.AppendString(d.Members, name), ':')
			d.Members = appendTree(d.Members, tree[name])
		}
	}
	return d
}

// Read makes a document of an object that was sent. It leaves out members that its type does not
// have. It also leaves out those that are null, which count as not sent, except for those that may
// be. whole says that there were none such. It has the defaults that are not seen in the Go value.
// If a member is there twice, the last one counts. What would take too much memory is
// runtime/json's ErrTooLarge.
func Read(text []byte, shape *Shape) (d Document, whole bool, err error) {
	tree, err := readTree(text)
	if err != nil {
		return d, false, err
	}
	whole = shape.prune(tree)
	shape.fill(tree)
	return Of(tree), whole, nil
}

// Pruned is the document without what a shape has no member for.
func (d Document) Pruned(shape *Shape) (Document, error) {
	tree, err := d.Tree()
	if err != nil || shape.prune(tree) {
		return d, err
	}
	return Of(tree), nil
}

// readTree reads an object.
func readTree(text []byte) (map[string]any, error) {
	p := parser{r: runtimejson.NewReader(text), room: maxTree}
	tree := p.object(true)
	if err := p.r.Err(); err != nil {
		return nil, err
	}
	return tree, p.failed
}

// What the values of a tree cost about, in bytes, and how much all of them may: text of a few signs
// can be an empty map.
const (
	maxTree   = 64 << 20
	costValue = 16
	costEntry = 48
	costMap   = 48
)

type parser struct {
	r      *runtimejson.Reader
	room   int
	failed error // of a number
}

func (p *parser) take(bytes int) {
	if p.room -= bytes; p.room < 0 {
		p.r.Fail(runtimejson.ErrTooLarge)
	}
}

func (p *parser) value() any {
	p.take(costValue)
	switch p.r.Peek() {
	case '{':
		return p.object(false)
	case '[':
		list := []any{}
		runtimejson.ReadSlice(p.r, &list, "", func(_ *runtimejson.Reader, item *any) { *item = p.value() })
		return list
	case '"':
		var s string
		p.r.String(&s)
		return s
	case 't', 'f':
		var b bool
		p.r.Bool(&b)
		return b
	case 'n':
		p.r.Null()
		return nil
	}
	return p.number(string(p.r.Raw()))
}

// object reads an object; of the root, the kind and the metadata are passed over.
func (p *parser) object(root bool) map[string]any {
	p.take(costMap)
	object := map[string]any{}
	if !p.r.BeginObject("") {
		return object
	}
	for p.r.NextField("") {
		name := strings.Clone(p.r.Name())
		if root && !inDocument(name) {
			p.r.Raw()
			continue
		}
		p.take(costEntry)
		object[name] = p.value()
	}
	return object
}

func (p *parser) number(text string) any {
	if !strings.ContainsAny(text, ".eE") {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n
		}
		if n, err := strconv.ParseUint(text, 10, 64); err == nil {
			return n
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil && text != "" && p.failed == nil {
		p.failed = err
	}
	if n == 0 {
		return int64(0) // also of -0.0, whose text -0 is an integer
	}
	return n
}

// appendTree appends the JSON of a tree: compact, names sorted, HTML signs escaped.
func appendTree(dst []byte, value any) []byte {
	switch value := value.(type) {
	case map[string]any:
		dst = append(dst, '{')
		for i, name := range slices.Sorted(maps.Keys(value)) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(runtimejson.AppendString(dst, name), ':')
			dst = appendTree(dst, value[name])
		}
		return append(dst, '}')
	case []any:
		dst = append(dst, '[')
		for i, item := range value {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendTree(dst, item)
		}
		return append(dst, ']')
	case string:
		return runtimejson.AppendString(dst, value)
	case bool:
		return strconv.AppendBool(dst, value)
	case int64:
		return strconv.AppendInt(dst, value, 10)
	case uint64:
		return strconv.AppendUint(dst, value, 10)
	case float64:
		dst, _ = runtimejson.AppendFloat(dst, value) // no JSON has numbers that it refuses
		return dst
	}
	return append(dst, "null"...)
}
