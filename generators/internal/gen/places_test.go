package gen

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/load"
	"github.com/typeplane/typeplane/generators/internal/tag"

	"golang.org/x/tools/txtar"
)

// places are where a tag may stand, as the cases of testdata/places have them, and how the page
// calls them.
var places = []struct{ name, title string }{
	{"package", "package"}, {"file", "file"}, {"kind", "kind"}, {"struct", "struct"}, {"named", "named type"}, {"alias", "alias"},
	{"field", "field"}, {"constant", "constant"}, {"function", "function"}, {"method", "method"}, {"behind", "behind code"},
}

// effect is what a tag does at a place.
type effect string

const (
	acts    effect = "acts"    // what is printed differs
	refused effect = "error"   // gen stops
	warned  effect = "warning" // gen goes on
	silent  effect = "silent"  // what is printed is the same
)

// cell is a folder with one tag at one place, which may occur there several times.
type cell struct {
	*folder
	tag, place string
	way        way
	// off are the occurrences that had a problem, all is how many there are; at are the lines on
	// which they begin, by file.
	off map[int]bool
	all int
	at  map[string]map[int]int

	said []string
	far  bool // a problem is far from all occurrences
	idle bool // gen warns of it before any plug-in works
}

// without is the cell without its tag.
func (c *cell) without(id string) *cell {
	out := &cell{folder: &folder{id: id}, tag: c.tag, place: c.place, way: c.way, off: maps.Clone(c.off)}
	out.way.line = ""
	return out
}

// key is the same for cells that are the same without their tags.
func (c *cell) key() string {
	key := fmt.Sprint(c.way.in, c.way.with, c.place == "field")
	if c.way.with["beside"] != nil {
		key += fmt.Sprint(c.place, slices.Sorted(maps.Keys(c.off)))
	}
	return key
}

// spent tells whether no occurrence is left.
func (c *cell) spent() bool { return c.files != nil && len(c.off) >= c.all }

// write fills the places of a case, those that the cell has nothing for with nothing.
func (c *cell) write(from *txtar.Archive) {
	c.files, c.all, c.at = nil, 0, map[string]map[int]int{}
	for _, f := range from.Files {
		if f.Name == "v1/holders.go" && c.place != "field" || f.Name == "v1/no_holders.go" && c.place == "field" {
			continue
		}
		var text []string
		c.at[f.Name] = map[int]int{}
		for line := range strings.Lines(string(f.Data)) {
			code, place, marked := strings.Cut(strings.TrimSuffix(line, "\n"), "// @")
			if !marked {
				text = append(text, code)
				continue
			}
			for _, with := range c.way.with[place] {
				if strings.HasPrefix(with, "+") {
					with = "// " + with
				}
				text = append(text, with)
			}
			if place == cmp.Or(c.way.at, c.place) {
				c.at[f.Name][len(text)+1] = c.all
				text = append(text, c.occurrence(code)...)
				c.all++
			} else if strings.TrimSpace(code) != "" {
				text = append(text, code)
			}
		}
		c.files = append(c.files, txtar.File{Name: f.Name, Data: []byte(strings.Join(text, "\n") + "\n")})
	}
}

// occurrence are the lines of the tag, or what it stands behind with it.
func (c *cell) occurrence(code string) (out []string) {
	if strings.TrimSpace(code) != "" {
		return []string{code + "// " + c.way.line}
	}
	if c.off[c.all] {
		return nil
	}
	for _, with := range c.way.with["beside"] {
		out = append(out, "// "+with)
	}
	if c.way.line != "" {
		out = append(out, "// "+c.way.line)
	}
	return out
}

// refuse takes the occurrences out that problems are about: each the last one above it. Where that
// was out already, or a problem is far from all of them, none is left.
func (c *cell) refuse() {
	before := maps.Clone(c.off)
	for _, p := range c.problems {
		c.said = append(c.said, p.String())
		at := 0
		for line := range c.at[p.Pos.Filename] {
			if line <= p.Pos.Line && p.Pos.Line < line+nearby+len(c.way.with["beside"]) {
				at = max(at, line)
			}
		}
		n := c.at[p.Pos.Filename][at]
		if at > 0 && !before[n] {
			c.off[n] = true
			continue
		}
		for n := range c.all {
			c.off[n] = true
		}
		c.far = true
	}
}

// nearby is how many lines what a tag stands above takes, with the tag.
const nearby = 3

// alone are cells with one occurrence each.
func (c *cell) alone() (out []*cell) {
	for n := range c.all {
		one := &cell{folder: &folder{id: fmt.Sprintf("%sx%02d", c.id, n)}, tag: c.tag, place: c.place, way: c.way, off: map[int]bool{}}
		for other := range c.all {
			if other != n {
				one.off[other] = true
			}
		}
		out = append(out, one)
	}
	return out
}

// table runs gen over cells.
type table struct {
	cases  map[string]*txtar.Archive
	bases  map[string]*cell // cells without their tags, by key
	shared load.Shared
}

// run runs gen over cells, without the occurrences that it has a problem with.
func (tb *table) run(t *testing.T, cells []*cell, with []generators.Plugin) {
	t.Helper()
	for len(cells) > 0 {
		var folders []*folder
		for _, c := range cells {
			c.problems, c.warnings, c.printed = nil, nil, nil
			c.write(tb.cases[c.way.in])
			if !c.spent() {
				folders = append(folders, c.folder)
			}
		}
		runFolders(t, &tb.shared, folders, with)
		cells = slices.DeleteFunc(slices.Clone(cells), func(c *cell) bool {
			c.refuse()
			return c.problems == nil || c.spent()
		})
	}
}

// newTable reads the cases.
func newTable(t *testing.T) *table {
	t.Helper()
	tb := &table{cases: map[string]*txtar.Archive{}, bases: map[string]*cell{}}
	for _, name := range []string{"kind", "hub"} {
		from, err := txtar.ParseFile("testdata/places/" + name + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		tb.cases[name] = from
	}
	return tb
}

// effects runs gen over the cells of some tags, and returns what each does at each place.
func (tb *table) effects(t *testing.T, tags []tag.Definition) map[string]map[string]effect {
	t.Helper()
	var cells []*cell
	for _, d := range tags {
		for _, place := range places {
			for _, w := range waysOf(d, place.name) {
				if !tb.has(w.in, cmp.Or(w.at, place.name)) {
					w = served(w.line)
				}
				cells = append(cells, &cell{folder: &folder{id: fmt.Sprintf("c%04d", len(cells))}, tag: d.Name, place: place.name, way: w, off: map[int]bool{}})
			}
		}
	}
	tb.run(t, cells, nil) // what is wrong with names and places takes no plug-in
	left := slices.DeleteFunc(slices.Clone(cells), func(c *cell) bool { c.idle = c.warnings != nil; return c.spent() || c.idle })
	tb.run(t, left, plugins())
	var alone []*cell
	for _, c := range left {
		if c.far && c.all > 1 {
			alone = append(alone, c.alone()...)
		}
	}
	tb.run(t, alone, plugins())
	cells, left = append(cells, alone...), append(left, alone...)
	var bases []*cell
	for _, c := range left {
		if !c.spent() && tb.bases[c.key()] == nil {
			base := c.without(fmt.Sprintf("b%04d", len(bases)))
			bases, tb.bases[c.key()] = append(bases, base), base
		}
	}
	tb.run(t, bases, plugins())
	out := map[string]map[string]effect{}
	for _, c := range cells {
		e := c.effect(tb.bases[c.key()])
		t.Logf("%s on %s: %s: %s (%d of %d)\n%s", c.tag, c.place, e, c.way.line, c.all-len(c.off), c.all, strings.Join(append(c.said, told(c.folder)...), "\n"))
		if out[c.tag] == nil {
			out[c.tag] = map[string]effect{}
		}
		if before, ok := out[c.tag][c.place]; !ok || e.more(before) {
			out[c.tag][c.place] = e
		}
	}
	return out
}

// has tells whether a case has a place.
func (tb *table) has(name, place string) bool {
	return slices.ContainsFunc(tb.cases[name].Files, func(f txtar.File) bool { return strings.Contains(string(f.Data), "// @"+place+"\n") })
}

// effect compares a cell with what is printed without its tag.
func (c *cell) effect(base *cell) effect {
	switch {
	case c.spent():
		return refused
	case c.idle:
		return warned
	case !maps.Equal(c.printed, base.printed):
		return acts
	case len(c.warnings) > 0:
		return warned
	}
	return silent
}

// more tells which effect of several ways to write a tag counts.
func (e effect) more(than effect) bool {
	order := []effect{silent, warned, refused, acts}
	return slices.Index(order, e) > slices.Index(order, than)
}

// shown is how the page shows an effect.
var shown = map[effect]string{acts: "yes", refused: "error", warned: "warning", silent: "none"}

// noEffect are the cells in which a tag may be without any effect, with the reason.
var noEffect = map[string]string{
	"kubebuilder:validation:Required package": "fields are required without it, as for controller-gen",
	"kubebuilder:validation:Required file":    "the same",
	"kubebuilder:metadata kind":               "it is about a definition, and none is printed",
	"kubebuilder:storageversion alias":        "there is one version, which is stored without it",
	"typeplane:validation:disabled kind":      "the option is off without it, too, with a warning",
	"k8s:validation-gen-nolint constant":      "it is for a linter",
	"k8s:validation-gen-nolint function":      "the same",
	"k8s:validation-gen-nolint method":        "the same",
}

// placesSection is the part of the page that says what each tag does at each place. Rows are those
// of the page, except for some tags, or all with -every, for which gen runs.
func placesSection(t *testing.T, pageNow string) string {
	t.Helper()
	const heading = "\n## Where a tag may stand\n\n"
	_, pageNow, _ = strings.Cut(pageNow, heading)
	var tags, some []tag.Definition
	for _, d := range known.Definitions() {
		if known.IsRead(d.Name) {
			tags = append(tags, d)
		}
	}
	for i, d := range tags {
		if *every || i%24 == 7 || !strings.Contains(pageNow, rowStart(d)) {
			some = append(some, d)
		}
	}
	rows := map[string]string{}
	tb := newTable(t)
	for batch := range slices.Chunk(some, 12) {
		found := tb.effects(t, batch)
		for _, d := range batch {
			rows[d.Name] = row(t, d, found[d.Name])
		}
	}
	var b strings.Builder
	b.WriteString(heading + placesDoc + "\n| tag |")
	for _, p := range places {
		fmt.Fprintf(&b, " %s |", p.title)
	}
	b.WriteString("\n|---" + strings.Repeat("|---", len(places)) + "|\n")
	for _, d := range tags {
		if rows[d.Name] == "" {
			_, rest, _ := strings.Cut(pageNow, rowStart(d))
			rest, _, _ = strings.Cut(rest, "\n")
			rows[d.Name] = rowStart(d) + rest + "\n"
		}
		b.WriteString(rows[d.Name])
	}
	return b.String()
}

const placesDoc = "What comes of each tag that gen reads, at each place. A test that runs gen over types that have the tag there prints it.\n" +
	"With *yes*, what is printed differs from what is printed without the tag, at least for a field or type that it suits. With\n" +
	"*error* and *warning*, gen says, with the position, that it has no effect or is wrong there. A *file* is the comment above a\n" +
	"package clause elsewhere than in `doc.go`. A tag that is not in this table has no effect anywhere. In the block before a\n" +
	"comment, a blank line between, a tag does the same as in the comment. `+kubebuilder:validation:Optional` before the comment of a\n" +
	"type is the package's, as it is for controller-gen.\n"

func rowStart(d tag.Definition) string { return "| `+" + d.Name + "` | " }

// row is a row of the table.
func row(t *testing.T, d tag.Definition, found map[string]effect) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(rowStart(d))
	for _, p := range places {
		e := found[p.name]
		if e == silent && noEffect[d.Name+" "+p.name] == "" {
			t.Errorf("+%s on a %s has no effect, and nothing is said", d.Name, p.title)
		}
		fmt.Fprintf(&b, "%s | ", shown[e])
	}
	return strings.TrimRight(b.String(), " ") + "\n"
}
