package jsontest

import (
	"bytes"
	"encoding/json"
	"math/rand"
	"strings"
)

// tree is a JSON value that keeps the order of its fields, and those that are there twice.
type tree struct {
	open   byte   // '{', '[' or 0
	scalar string // the literal, if it is neither
	keys   []string
	items  []*tree
}

// Damage returns data with one to three things wrong with it, or just different. Fields are
// unknown, twice, of other types or null, values nested too deep, strings written in other ways, or
// the syntax is broken.
func Damage(rnd *rand.Rand, data []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	root := parse(d)
	for range 1 + rnd.Intn(3) {
		nodes := root.all(nil)
		nodes[rnd.Intn(len(nodes))].damage(rnd)
	}
	out := root.append(rnd, nil)
	if rnd.Intn(4) == 0 {
		out = breakSyntax(rnd, out)
	}
	return out
}

func parse(d *json.Decoder) *tree {
	token, err := d.Token()
	if err != nil {
		return &tree{scalar: "null"}
	}
	delim, ok := token.(json.Delim)
	if !ok {
		literal, _ := json.Marshal(token)
		return &tree{scalar: string(literal)}
	}
	t := &tree{open: byte(delim)}
	for d.More() {
		if t.open == '{' {
			key, _ := d.Token()
			literal, _ := json.Marshal(key)
			t.keys = append(t.keys, string(literal))
		}
		t.items = append(t.items, parse(d))
	}
	_, _ = d.Token()
	return t
}

func (t *tree) all(to []*tree) []*tree {
	to = append(to, t)
	for _, item := range t.items {
		to = item.all(to)
	}
	return to
}

var others = []string{
	"null", "true", "false", "0", "-0", "-1", "1.5", "1e3", "300", "2147483648", "9223372036854775808", "-9223372036854775809",
	"1e400", "18446744073709551616", `""`, `"x"`, `"1"`, `"\""`, `"2020-01-02T03:04:05Z"`, `"bm8="`, `"no!"`, `"5m"`, "{}", "[]", "[1]",
	`{"a":1,"a":2}`, `[{"a":{"b":1,"b":{"c":1,"c":2}}},null]`, `[null,null,null,null]`, `"null"`, `"true"`, `"\ud83d\ude00\ud800x"`,
}

// damage changes a value, or a field of it.
func (t *tree) damage(rnd *rand.Rand) {
	other := &tree{scalar: others[rnd.Intn(len(others))]}
	if t.open == 0 || rnd.Intn(6) == 0 {
		*t = *other
		return
	}
	if t.open == '[' {
		t.items = append(t.items, other)
		return
	}
	i := 0
	if len(t.items) > 0 {
		i = rnd.Intn(len(t.items))
	}
	switch {
	case len(t.items) == 0 || rnd.Intn(4) == 0:
		t.insert(rnd, `"unknown"`, other)
	case rnd.Intn(3) == 0:
		t.insert(rnd, t.keys[i], t.items[i]) // twice
	case rnd.Intn(2) == 0:
		t.insert(rnd, t.keys[i], other)
	case rnd.Intn(2) == 0:
		t.keys[i] = strings.ToUpper(t.keys[i])
	case rnd.Intn(8) == 0:
		deep := 9990 + rnd.Intn(20)
		t.items[i] = &tree{scalar: strings.Repeat("[", deep) + strings.Repeat("]", deep)}
	default:
		t.items[i] = other
	}
}

func (t *tree) insert(rnd *rand.Rand, key string, value *tree) {
	i := rnd.Intn(len(t.items) + 1)
	t.keys = append(t.keys[:i:i], append([]string{key}, t.keys[i:]...)...)
	t.items = append(t.items[:i:i], append([]*tree{value}, t.items[i:]...)...)
}

// append writes a tree, with white space and escapes here and there.
func (t *tree) append(rnd *rand.Rand, to []byte) []byte {
	space := func() {
		if rnd.Intn(16) == 0 {
			to = append(to, " \n\t\r"[rnd.Intn(4)])
		}
	}
	if t.open == 0 {
		return append(to, reworded(rnd, t.scalar)...)
	}
	to = append(to, t.open)
	for i, item := range t.items {
		if i > 0 {
			to = append(to, ',')
		}
		space()
		if t.open == '{' {
			to = append(to, reworded(rnd, t.keys[i])...)
			space()
			to = append(to, ':')
			space()
		}
		to = item.append(rnd, to)
		space()
	}
	return append(to, t.open+2)
}

// reworded may write the first letter of a string literal as an escape, or put bytes into it that
// are not UTF-8.
func reworded(rnd *rand.Rand, literal string) string {
	if len(literal) < 3 || literal[0] != '"' || literal[1] == '\\' || literal[1] >= 0x80 {
		return literal
	}
	switch rnd.Intn(40) {
	case 0:
		const hex = "0123456789aBcDeF"
		return `"\u00` + string(hex[literal[1]>>4]) + string(hex[literal[1]&15]) + literal[2:]
	case 1:
		return "\"\xff\xe2\x80" + literal[1:]
	}
	return literal
}

// breakSyntax changes, drops or adds a byte, or cuts the end off.
func breakSyntax(rnd *rand.Rand, data []byte) []byte {
	if len(data) == 0 {
		return data
	}
	const bytes = "{}[]:,\"\\ntf0-1.eE+ \x00\x1f'x\xff"
	i, c := rnd.Intn(len(data)), bytes[rnd.Intn(len(bytes))]
	switch rnd.Intn(5) {
	case 0:
		return data[:i]
	case 1:
		return append(data[:i:i], data[i+1:]...)
	case 2:
		return append(data[:i:i], append([]byte{c}, data[i:]...)...)
	case 3:
		return append(data, c)
	}
	data[i] = c
	return data
}
