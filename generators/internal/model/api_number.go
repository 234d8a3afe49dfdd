package model

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"k8s.io/gengo/v2/types"
)

// numbers are the field numbers of a package's messages, by message and field name.
type numbers map[string]map[string]int

// number is the number and the name that a field has in protobuf: in its struct tag, else in the
// package's generated.proto.
func (r *Reader) number(owner *types.Type, m types.Member, jsonName string) (int, string) {
	number, name := 0, ""
	tagged, _ := StructTag(m, "protobuf")
	for i, part := range strings.Split(tagged, ",") {
		if after, ok := strings.CutPrefix(part, "name="); ok {
			name = after
		} else if i == 1 {
			number, _ = strconv.Atoi(part)
		}
	}
	if number != 0 {
		return number, name
	}
	if n := r.proto(owner.Name.Package)[owner.Name.Name][jsonName]; n != 0 {
		return n, jsonName
	}
	return 0, ""
}

// proto reads the generated.proto of a package; it is empty if there is none.
func (r *Reader) proto(pkgPath string) numbers {
	if known, ok := r.numbers[pkgPath]; ok {
		return known
	}
	out := numbers{}
	r.numbers[pkgPath] = out
	pkg := r.model.Package(pkgPath)
	if pkg == nil {
		return out
	}
	file, err := os.Open(filepath.Join(pkg.Dir, "generated.proto"))
	if err != nil {
		return out
	}
	defer file.Close()
	message := ""
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if m := messageLine.FindStringSubmatch(lines.Text()); m != nil {
			message = m[1]
			out[message] = map[string]int{}
		} else if m := fieldLine.FindStringSubmatch(lines.Text()); m != nil && message != "" {
			out[message][m[1]], _ = strconv.Atoi(m[2])
		}
	}
	return out
}

// The lines of the files that gen and go-to-protobuf print.
var (
	messageLine = regexp.MustCompile(`^message (\w+) \{`)
	fieldLine   = regexp.MustCompile(`^  [^/].* (\w+) = (\d+)( \[.*\])?;`)
)
