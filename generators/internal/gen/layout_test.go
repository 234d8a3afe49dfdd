package gen

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/load"
	"github.com/typeplane/typeplane/generators/internal/tag"
)

// layouts are ways to write the same markers at other places, or otherwise. None may change what is
// printed.
var layouts = map[string]func(doc []string) []string{
	// What kubebuilder writes: the markers, a blank line, the comment.
	"apart": func(doc []string) []string {
		markers, prose := split(doc)
		if len(markers) == 0 || len(prose) == 0 {
			return doc
		}
		return slices.Concat(markers, []string{""}, prose)
	},
	// Half of the markers above, half below.
	"in two blocks": func(doc []string) []string {
		markers, prose := split(doc)
		if len(markers) == 0 || len(prose) == 0 {
			return doc
		}
		half := (len(markers) + 1) / 2
		return slices.Concat(markers[:half], []string{""}, prose, markers[half:])
	},
	// Those of one name stay in their order, the names are turned round.
	"turned round": func(doc []string) []string {
		var names []string
		byName := map[string][]string{}
		for _, line := range doc {
			if isMarker(line) {
				name := tagName(line)
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
				byName[name] = append(byName[name], line)
			}
		}
		var turned []string
		for _, name := range slices.Backward(names) {
			turned = append(turned, byName[name]...)
		}
		doc = slices.Clone(doc)
		for i, line := range doc {
			if isMarker(line) {
				doc[i], turned = turned[0], turned[1:]
			}
		}
		return doc
	},
	// controller-gen's other way to write a value.
	"assigned": func(doc []string) []string {
		doc = slices.Clone(doc)
		for i, line := range doc {
			doc[i] = oneValue.ReplaceAllString(line, "$1:=$2")
		}
		return doc
	},
}

// oneValue is a marker of kubebuilder with one value.
var oneValue = regexp.MustCompile(`^(//\s*\+kubebuilder:[A-Za-z:]*[A-Za-z])=(.*)$`)

func isMarker(line string) bool {
	return strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(line, "//")), "+")
}

var known = generators.TagTable(plugins())

// tagName is the name of a marker without the keys that follow it.
func tagName(line string) string {
	name := tag.NameOf(strings.TrimPrefix(line, "//"))
	if d, ok := known.Find(name); ok {
		return d.Name
	}
	return name
}

func split(doc []string) (markers, prose []string) {
	for _, line := range doc {
		if isMarker(line) {
			markers = append(markers, line)
		} else {
			prose = append(prose, line)
		}
	}
	return markers, prose
}

// together are layouts that can be had at once, so that one run tries them all.
var together = []string{"turned round", "assigned", "in two blocks"}

// TestLayouts moves the markers of the types and fields of generators' cases, and looks for
// anything that changes. All ways are tried together first, and one by one where there is a
// difference.
func TestLayouts(t *testing.T) {
	var cases []*layouted
	for i, c := range soundCases(t) {
		if !*every && i%6 != 0 && (i%2 != 0 || !strings.HasPrefix(c.name, "apiserver")) { // some of each, and more of the servers
			continue
		}
		cases = append(cases, &layouted{c, map[string]*folder{}})
	}
	shared := new(load.Shared)
	tried := map[string]int{}
	var folders []*folder
	id := 0
	lay := func(c *layouted, name string, layout func([]string) []string) {
		id++
		moved := c.source
		if layout != nil {
			var changed bool
			if moved, changed = laidOut(t, c.source, layout); !changed {
				return
			}
			tried[name]++
		}
		c.moved[name] = without(moved, fmt.Sprintf("n%04d", id), nil)
		folders = append(folders, c.moved[name])
	}
	for _, c := range cases {
		lay(c, "", nil)
		lay(c, "together", func(doc []string) []string {
			for _, name := range together {
				doc = layouts[name](doc)
			}
			return doc
		})
		for name, layout := range layouts {
			if *every {
				lay(c, name, layout)
			}
		}
	}
	runFolders(t, shared, folders, plugins())
	folders = nil
	for _, c := range cases {
		if again := c.moved["together"]; again != nil && !same(c.moved[""], again) && !*every {
			for name, layout := range layouts {
				lay(c, name, layout)
			}
		}
	}
	runFolders(t, shared, folders, plugins())
	for _, c := range cases {
		for name, moved := range c.moved {
			if c.moved[""].problems == nil && !same(c.moved[""], moved) {
				t.Errorf("%s, markers %s (-before +after):\n%.3000s", c.name, name, cmp.Diff(c.moved[""].printed, moved.printed)+cmp.Diff(told(c.moved[""]), told(moved)))
			}
		}
	}
	if tried["together"] < 20 {
		t.Errorf("only %d cases had any markers to move", tried["together"])
	}
	t.Logf("tried: %v", tried)
}

// layouted is a case in several layouts, by their names; "" is that of the case.
type layouted struct {
	sound
	moved map[string]*folder
}

// laidOut is a case with its comments in another layout.
func laidOut(t *testing.T, archive *txtar.Archive, layout func([]string) []string) (out *txtar.Archive, changed bool) {
	t.Helper()
	out = &txtar.Archive{}
	for _, f := range archive.Files {
		if strings.HasPrefix(f.Name, "want/") || !strings.HasSuffix(f.Name, ".go") {
			out.Files = append(out.Files, f)
			continue
		}
		data := relaid(f.Data, layout)
		changed = changed || string(data) != string(f.Data)
		out.Files = append(out.Files, txtar.File{Name: f.Name, Data: data})
	}
	return out, changed
}

// relaid rewrites the comments above the types and fields of a file.
func relaid(data []byte, layout func([]string) []string) []byte {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", data, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || strings.Contains(string(data), "''") { // of which gofmt makes another sign in a comment
		return data
	}
	lines := strings.Split(string(data), "\n")
	replace := map[int][]string{} // by the first line of a comment
	take := map[int]int{}
	visit := func(doc *ast.CommentGroup) {
		if doc == nil || strings.HasPrefix(doc.List[0].Text, "/*") {
			return
		}
		first, last := set.Position(doc.Pos()).Line, set.Position(doc.End()).Line
		var text []string
		for _, line := range lines[first-1 : last] {
			text = append(text, strings.TrimSpace(line))
		}
		moved := layout(text)
		if slices.Contains(moved, "") && first > 2 && strings.HasPrefix(strings.TrimSpace(lines[first-3]), "//") {
			return // of two blocks above a comment, only the nearer one is read
		}
		replace[first], take[first] = moved, last-first+1
	}
	for _, decl := range file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.TYPE {
			continue
		}
		visit(gen.Doc)
		ast.Inspect(gen, func(n ast.Node) bool {
			if f, ok := n.(*ast.Field); ok {
				visit(f.Doc)
			}
			return true
		})
	}
	var out []string
	for i := 0; i < len(lines); {
		if with, ok := replace[i+1]; ok {
			out = append(out, with...)
			i += take[i+1]
			continue
		}
		out = append(out, lines[i])
		i++
	}
	return []byte(strings.Join(out, "\n")) // gofmt would change quotes in comments
}

// markerLine is what generated.proto repeats of a comment: markers, and the empty line that stood
// before them.
var markerLine = regexp.MustCompile(`(?m)^[ \t]*//([ \t]*\+.*)?\n`)

func texts(r generators.Result) (out []string) {
	for _, p := range r.Problems {
		out = append(out, p.String())
	}
	return out
}
