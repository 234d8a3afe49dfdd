package protobuf

import (
	"errors"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bufbuild/protocompile/ast"
	"github.com/bufbuild/protocompile/parser"
	"github.com/bufbuild/protocompile/reporter"
)

// ledger is what the checked-in generated.proto remembers of each message: the numbers that were
// ever used.
type ledger map[string]*record

// record is one message of the ledger.
type record struct {
	fields   map[string]entry // by name
	reserved reserved         // in generated.proto
	buried   reserved         // in comments of the Go source, which remembers them itself
	highest  int32
}

func (r *record) isReserved(number int32) bool {
	return r.reserved.has(number) || r.buried.has(number)
}

func (r *record) isReservedName(name string) bool {
	return slices.Contains(r.reserved.names, name) || slices.Contains(r.buried.names, name)
}

// entry is one field of the ledger.
type entry struct {
	number      int32
	declaration string // label and type, like "repeated string"
}

// wire is how the values of the field were written.
func (e entry) wire() int {
	typ := e.declaration[strings.LastIndexByte(e.declaration, ' ')+1:]
	for _, k := range kinds {
		if k.proto == typ {
			return k.wire
		}
	}
	return wireBytes
}

// span is a range of reserved numbers.
type span struct{ first, last int32 }

func (r reserved) has(number int32) bool {
	for _, s := range r.numbers {
		if s.first <= number && number <= s.last {
			return true
		}
	}
	return false
}

// readLedger reads the generated.proto of a folder, ours or that of go-to-protobuf; errors call it
// name. A missing file is an empty ledger.
func readLedger(dir, name string) (ledger, error) {
	in, err := os.Open(filepath.Join(dir, protoFile))
	if errors.Is(err, os.ErrNotExist) {
		return ledger{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer in.Close()
	file, err := parser.Parse(name, in, reporter.NewHandler(nil))
	if err != nil {
		return nil, err
	}
	l := ledger{}
	for _, decl := range file.Decls {
		if m, ok := decl.(*ast.MessageNode); ok {
			l[m.Name.Val] = readRecord(m)
		}
	}
	return l, nil
}

func readRecord(m *ast.MessageNode) *record {
	r := &record{fields: map[string]entry{}}
	for _, decl := range m.Decls {
		switch d := decl.(type) {
		case *ast.FieldNode:
			r.add(d.Name.Val, entry{int32(d.Tag.Val), label(d.Label) + " " + string(d.FldType.AsIdentifier())})
		case *ast.MapFieldNode:
			r.add(d.Name.Val, entry{int32(d.Tag.Val),
				"map<" + d.MapType.KeyType.Val + ", " + string(d.MapType.ValueType.AsIdentifier()) + ">"})
		case *ast.ReservedNode:
			for _, n := range d.Ranges {
				first, _ := n.StartValueAsInt32(1, maxNumber)
				last, _ := n.EndValueAsInt32(1, maxNumber)
				r.reserved.numbers = append(r.reserved.numbers, span{first, last})
				if last < maxNumber { // "to max" is no number that was used
					r.highest = max(r.highest, last)
				}
			}
			for _, n := range d.Names {
				r.reserved.names = append(r.reserved.names, n.AsString())
			}
		}
	}
	return r
}

func (r *record) add(name string, e entry) {
	r.fields[name] = e
	r.highest = max(r.highest, e.number)
}

func label(n ast.FieldLabel) string {
	if n.Repeated {
		return "repeated"
	}
	return "optional"
}

// position finds out where in a generated.proto an error of the parser is.
func position(err error, fallback string) token.Position {
	var at reporter.ErrorWithPos
	if !errors.As(err, &at) {
		return token.Position{Filename: fallback}
	}
	pos := at.GetPosition()
	return token.Position{Filename: pos.Filename, Line: pos.Line, Column: pos.Col}
}

// reason is the error without the position.
func reason(err error) string {
	var at reporter.ErrorWithPos
	if errors.As(err, &at) {
		return at.Unwrap().Error()
	}
	return err.Error()
}
