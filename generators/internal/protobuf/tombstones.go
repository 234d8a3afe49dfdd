package protobuf

import (
	"strconv"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/model"
)

// tombstone is the mark of upstream's code generators, which know no reserved numbers:
//
//	// +k8s:deprecated=state,protobuf=3
const tombstone = "+k8s:deprecated="

// bury reserves in the ledger what the comments of a package say is gone.
func (p *planner) bury(pkg *model.Package, old ledger) {
	for _, line := range p.model.Occurrences(pkg) {
		text, ok := strings.CutPrefix(line.Text, tombstone)
		if !ok || line.Trailing {
			continue
		}
		name, _, _ := strings.Cut(line.Path, ".")
		if name == "" {
			name = p.typeAbove(pkg, line)
		}
		if name == "" {
			continue
		}
		if old[name] == nil {
			old[name] = &record{}
		}
		old[name].bury(text)
	}
}

// bury reserves the name, and the number if there is one, of "state,protobuf=3".
func (r *record) bury(text string) {
	for i, part := range strings.Split(text, ",") {
		part = strings.TrimSpace(part)
		if i == 0 {
			if _, still := r.fields[part]; !still {
				r.buried.names = append(r.buried.names, part)
			}
			continue
		}
		if key, value, _ := strings.Cut(part, "="); key == "protobuf" {
			if n, err := strconv.ParseInt(value, 10, 32); err == nil && n > 0 {
				r.buried.numbers = append(r.buried.numbers, span{int32(n), int32(n)})
				r.highest = max(r.highest, int32(n))
			}
		}
	}
}

// typeAbove is the type that is declared last above a line of its file, in whose body the line
// stands.
func (p *planner) typeAbove(pkg *model.Package, line model.Occurrence) (name string) {
	last := 0
	for _, t := range pkg.Types.Types {
		at := p.model.TypePos(t)
		if at.Filename == line.Pos.Filename && at.Line < line.Pos.Line && at.Line > last {
			last, name = at.Line, t.Name.Name
		}
	}
	return name
}
