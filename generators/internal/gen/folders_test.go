package gen

import (
	"flag"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/gentest"
	"github.com/typeplane/typeplane/generators/internal/load"

	"golang.org/x/tools/txtar"
)

var every = flag.Bool("every", false, "try all tags, cases and layouts, not some of them (minutes)")

// folder is one of many in a module that gen runs over at once. None knows of another.
type folder struct {
	id    string
	files []txtar.File
	// problems is what stops gen; without any, warnings and what is printed are those of the last
	// run. The name of the folder is CELL in them.
	problems, warnings []diag.Problem
	printed            map[string]string
}

// runFolders runs plug-ins over folders. Those with problems are taken out, until the others have
// none.
func runFolders(t *testing.T, shared *load.Shared, folders []*folder, with []generators.Plugin) {
	t.Helper()
	for again := true; again; {
		again = false
		archive, byID := &txtar.Archive{}, map[string]*folder{}
		for _, f := range folders {
			if f.problems != nil {
				continue
			}
			byID[f.id] = f
			for _, file := range f.files {
				archive.Files = append(archive.Files, txtar.File{Name: path.Join(f.id, file.Name), Data: []byte(strings.ReplaceAll(string(file.Data), "CELL", f.id))})
			}
		}
		if len(byID) == 0 {
			return
		}
		result, err := generators.Run(generators.Config{
			Dir: gentest.Module(t, archive), Env: gentest.Env(), Patterns: []string{"./..."},
			Plugins: with, Known: plugins(), Shared: shared, Verify: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		of := func(name string) (*folder, string) {
			id, file, _ := strings.Cut(filepath.ToSlash(name), "/")
			if byID[id] == nil {
				t.Fatalf("%s is in no folder: %v", name, texts(result))
			}
			return byID[id], file
		}
		for _, p := range result.Problems {
			f, file := of(p.Pos.Filename)
			p.Pos.Filename = file
			f.problems = append(f.problems, p)
			again = true
		}
		if again {
			continue
		}
		for _, f := range byID {
			f.warnings, f.printed = nil, map[string]string{}
		}
		for _, w := range result.Warnings {
			if filepath.IsAbs(w.Pos.Filename) {
				continue // of another module, for all folders that use it
			}
			f, file := of(w.Pos.Filename)
			w.Pos.Filename = file
			f.warnings = append(f.warnings, w)
		}
		for _, change := range result.Changes {
			f, file := of(change.Path)
			f.printed[file] = markerLine.ReplaceAllString(strings.ReplaceAll(ownKinds(f.id, string(change.Content())), f.id, "CELL"), "")
		}
	}
}

// publishedKind matches a kind of a model in a document.
var publishedKind = regexp.MustCompile(`(?m)^ *\{"group": "([a-z0-9]+)\.example\.com", "kind": "\w+", "version": "\w+"\},?\n`)

// ownKinds removes the kinds of other folders from a document. A type of another module has the
// kinds of all folders that serve it.
func ownKinds(id, text string) string {
	return publishedKind.ReplaceAllStringFunc(text, func(line string) string {
		if publishedKind.FindStringSubmatch(line)[1] != id {
			return ""
		}
		return strings.Replace(line, "},", "}", 1)
	})
}

// same tells whether the same came of two folders.
func same(a, b *folder) bool {
	return maps.Equal(a.printed, b.printed) && slices.Equal(told(a), told(b))
}

// told is what gen said about a folder.
func told(f *folder) (out []string) {
	for _, p := range slices.Concat(f.problems, f.warnings) {
		out = append(out, p.Message)
	}
	return out
}

// sound is a case of a plug-in that has no problems.
type sound struct {
	name   string
	source *txtar.Archive
}

// soundCases are those that can stand in a folder: they have no module of their own, and write
// nothing elsewhere.
func soundCases(t *testing.T) (out []sound) {
	t.Helper()
	files, err := filepath.Glob("../*/testdata/*.txtar")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d cases, %v", len(files), err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(a.Files, func(f txtar.File) bool {
			return f.Name == "error" || path.Base(f.Name) == "go.mod" || elsewhere.Match(f.Data)
		}) {
			out = append(out, sound{filepath.Base(filepath.Dir(filepath.Dir(file))) + "/" + filepath.Base(file), a})
		}
	}
	return out
}

// elsewhere are the tags that write into other folders.
var elsewhere = regexp.MustCompile(`\+typeplane:(client|docs|manifests|openapi|typescript)`)

// without is an archive in a folder, with some lines changed: "" leaves a line empty of all but the
// marks of a comment.
func without(a *txtar.Archive, id string, changed map[line]string) *folder {
	out := &folder{id: id}
	for i, f := range a.Files {
		if isExpectation(f.Name) {
			continue
		}
		lines := strings.Split(string(f.Data), "\n")
		for at, text := range changed {
			if at.file == i {
				lines[at.number] = text
			}
		}
		data := strings.ReplaceAll(strings.Join(lines, "\n"), "example.com/", "example.com/CELL/")
		out.files = append(out.files, txtar.File{Name: f.Name, Data: []byte(data)})
	}
	return out
}

func isExpectation(name string) bool {
	return name == "error" || name == "warning" || strings.HasPrefix(name, "want/")
}

// line is a line of a file of an archive.
type line struct {
	file, number int
}
