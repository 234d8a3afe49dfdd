package scaffold

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
)

//go:embed templates
var templateFiles embed.FS

var templates = template.Must(template.ParseFS(templateFiles, "templates/*.tmpl"))

// note is a line that was inserted, and where it is now.
type note struct {
	path    string
	line    int
	comment string
}

// plan is what a command will do. Paths are relative to the root of the module, with slashes.
type plan struct {
	root    string
	files   map[string][]byte // new ones
	changed map[string][]byte // the whole content of those that lines are inserted into
	notes   []note            // what was inserted
	// optional are new files that need not be written where there is one already.
	optional map[string]bool
}

func newPlan(root string) *plan {
	return &plan{root: root, files: map[string][]byte{}, changed: map[string][]byte{}, optional: map[string]bool{}}
}

// make plans a file from a template.
func (p *plan) make(path, from string, data any) error {
	var out bytes.Buffer
	if err := templates.ExecuteTemplate(&out, from+".tmpl", data); err != nil {
		return err
	}
	return p.add(path, out.Bytes())
}

// makeIfMissing plans a file from a template, unless there is one.
func (p *plan) makeIfMissing(path, from string, data any) error {
	p.optional[path] = true
	return p.make(path, from, data)
}

// add plans a file; Go source is formatted.
func (p *plan) add(path string, text []byte) error {
	if strings.HasSuffix(path, ".go") {
		formatted, err := format.Source(text)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		text = formatted
	}
	p.files[filepath.ToSlash(path)] = text
	return nil
}

// insert plans a line of a comment above a line of a file that exists. It may be called several
// times for one file, for lines as they are on the disk, from the last to the first.
func (p *plan) insert(path string, line int, comment string) error {
	path = filepath.ToSlash(path)
	text, ok := p.changed[path]
	if !ok {
		var err error
		if text, err = os.ReadFile(filepath.Join(p.root, path)); err != nil {
			return err
		}
	}
	lines := strings.SplitAfter(string(text), "\n")
	if line < 1 || line > len(lines) {
		return fmt.Errorf("%s has no line %d", path, line)
	}
	indent := lines[line-1][:len(lines[line-1])-len(strings.TrimLeft(lines[line-1], " \t"))]
	lines = slices.Insert(lines, line-1, indent+"// "+comment+"\n")
	p.changed[path] = []byte(strings.Join(lines, ""))
	for i := range p.notes {
		if p.notes[i].path == path && p.notes[i].line >= line {
			p.notes[i].line++
		}
	}
	p.notes = append(p.notes, note{path, line, comment})
	return nil
}

// missing are the new files, without optional ones that exist. Another that exists is an error.
func (p *plan) missing() (made, kept []string, err error) {
	var there []string
	for _, path := range slices.Sorted(maps.Keys(p.files)) {
		switch _, err := os.Lstat(filepath.Join(p.root, path)); {
		case errors.Is(err, fs.ErrNotExist):
			made = append(made, path)
		case err != nil:
			return nil, nil, err
		case p.optional[path]:
			kept = append(kept, path)
		default:
			there = append(there, path)
		}
	}
	if len(there) > 0 {
		return nil, nil, fmt.Errorf("nothing was written, since there is already %s", strings.Join(there, ", "))
	}
	return made, kept, nil
}

// write writes all of it, or nothing if one of the new files exists.
func (p *plan) write() (Result, error) {
	made, kept, err := p.missing()
	if err != nil {
		return Result{}, err
	}
	for _, path := range made {
		name := filepath.Join(p.root, path)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return Result{}, err
		}
		if err := os.WriteFile(name, p.files[path], 0o644); err != nil {
			return Result{}, err
		}
	}
	for _, path := range slices.Sorted(maps.Keys(p.changed)) {
		if err := os.WriteFile(filepath.Join(p.root, path), p.changed[path], 0o644); err != nil {
			return Result{}, err
		}
	}
	var inserted []string
	for _, n := range p.notes {
		inserted = append(inserted, fmt.Sprintf("%s:%d: // %s", n.path, n.line, n.comment))
	}
	slices.Sort(inserted)
	return Result{Made: made, Kept: kept, Inserted: inserted}, nil
}

// Result is what a command did, and what is left to do.
type Result struct {
	// Made are new files. Kept are those that were there and are as they were. Inserted are lines
	// in files that were there, as file:line: text.
	Made, Kept, Inserted []string
	// Left is what only a person can write, Next are the commands that come next.
	Left, Next []string
}
