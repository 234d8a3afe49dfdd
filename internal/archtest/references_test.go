package archtest

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// fileName is the name of a Go file, a document or a script in a text, with the folders before it.
// What follows a star, a brace or an ellipsis is a pattern, and boilerplate.go.txt is none of them.
var fileName = regexp.MustCompile(`(?:^|[^\w./*…{}<>$~-])([\w-][\w./-]*\.(?:go|md|sh))(\.txt)?\b`)

// elsewhere are files that are named and not ours, each with its owner. gen writes some for users,
// and the others are in other repositories.
var elsewhere = map[string]string{
	"doc.go":               "every package of types",
	"types.go":             "every package of types",
	"register.go":          "every package of types",
	"groupversion_info.go": "every package of types that kubebuilder made",
	"main.go":              "every program",
	"plan.go":              "most plug-ins of gen",
	"emit.go":              "most plug-ins of gen",
	"x_test.go":            "an example of a name",
	"store_tests.go":       "k8s.io/apiserver",
	"watcher_tests.go":     "k8s.io/apiserver",
	"conversion.go":        "the module of the tutorial",
	"shop.go":              "the module of the tutorial",
	"order_types.go":       "the module of the tutorial",
	"order_strategy.go":    "the module of the tutorial",
	"order_test.go":        "the module of the tutorial",
	"order_ship.go":        "the module of the tutorial",
	"order_ship_types.go":  "the module of the tutorial",
	"order_ship_test.go":   "the module of the tutorial",
	"kube_codegen.sh":      "k8s.io/code-generator",
	"LICENSES.md":          "a release, where hack/licenses writes it",
	"NOTES.md":             "a release, where hack/release writes it",
}

// TestNamedFilesAreThere: a file that a comment or a document names is there. It is in the folder
// of who names it, or where the path says, from the root or from that folder.
func TestNamedFilesAreThere(t *testing.T) {
	root, used := moduleRoot(t), map[string]bool{}
	names := allNames(t, root)
	for file, text := range documents(t, root) {
		for _, found := range fileName.FindAllStringSubmatch(text, -1) {
			name, last := found[1], path.Base(found[1])
			if found[2] != "" || there(root, file, name, names) || strings.Contains(last, "generated.") {
				continue
			}
			if used[last] = true; elsewhere[last] == "" {
				t.Errorf("%s names %s, which is not there; name the file that has what it had", file, name)
			}
		}
	}
	for name, who := range elsewhere {
		if !used[name] {
			t.Errorf("nobody names %s of %s any more; take it out of the list", name, who)
		}
	}
}

// there says whether a file names one that exists. A name without folders is of the same folder in
// a comment; a document may mean one of any folder.
func there(root, file, name string, names map[string]bool) bool {
	for _, folder := range []string{path.Dir(file), "."} {
		if _, err := os.Stat(filepath.Join(root, folder, name)); err == nil {
			return true
		}
	}
	return strings.HasSuffix(file, ".md") && names[path.Base(name)] && !strings.Contains(name, "/")
}

// placed is a name with the file that it is in: quoted before a quoted path, or with a capital, as
// other words stand before files, too. Between them is "in" or a parenthesis.
var placed = regexp.MustCompile("(?:`([\\w.]+)`|\\b((?:\\w+\\.)*\\w*[A-Z]\\w*))(?:,?\\sin\\s|\\s\\()`?([\\w-][\\w./-]*\\.go)\\b")

// TestNamesAreInTheirFiles: a name that stands beside a file of ours in a comment or a document is
// a name in the code of that file.
func TestNamesAreInTheirFiles(t *testing.T) {
	root, found := moduleRoot(t), 0
	for file, text := range documents(t, root) {
		for _, m := range placed.FindAllStringSubmatch(text, -1) {
			name, code := m[1]+m[2], codeOf(t, root, path.Join(path.Dir(file), m[3]), m[3])
			if code == nil {
				continue // of somebody else: TestNamedFilesAreThere looks
			}
			if found++; !code[name[strings.LastIndex(name, ".")+1:]] {
				t.Errorf("%s says that %s is in %s, whose code has no such name; name the file that has it", file, name, m[3])
			}
		}
	}
	if found == 0 {
		t.Error("there are no names with files: the pattern is out of date")
	}
}

// codeOf returns the names in the code of the first of some files that is there, nil for none.
func codeOf(t *testing.T, root string, files ...string) map[string]bool {
	t.Helper()
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, parser.SkipObjectResolution)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		names := map[string]bool{}
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				names[id.Name] = true
			}
			return true
		})
		return names
	}
	return nil
}

// peersWords are those that readers of texts about k8s.io/apiserver look for first.
var peersWords = []string{
	"watchCache", "cacheWatcher", "Reflector", "UnderlyingStorage", "decorator", "TransformFromStorage", "RESTStorage",
	"StatusREST", "RegistryStore", "GetToList", "WatchList", "internal version",
}

// TestGlossary: each row of the glossary ends with a file of ours, and there is one for each of
// peersWords. The tests above look whether the file is there, and has the name.
func TestGlossary(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(moduleRoot(t), "docs/glossary.md"))
	if err != nil {
		t.Fatal(err)
	}
	words := ""
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || strings.HasPrefix(line, "|---") || strings.TrimSpace(cells[3]) == "where" {
			continue
		}
		words += cells[1]
		if !fileName.MatchString(cells[3]) {
			t.Errorf("the row of %s names no file", cells[1])
		}
	}
	for _, word := range peersWords {
		if !strings.Contains(words, " "+word) {
			t.Errorf("%s has no row", word)
		}
	}
}

// beginning is where the comment of a package says that reading begins.
var beginning = regexp.MustCompile(`Start\sreading\sat\s([\w./]*\w)`)

// TestReadingBegins: the name at which the comment of a package says to start is one of its names.
func TestReadingBegins(t *testing.T) {
	root, found := moduleRoot(t), 0
	for file, text := range documents(t, root) {
		m := beginning.FindStringSubmatch(text)
		if m == nil || strings.HasSuffix(m[1], ".go") || strings.Contains(m[1], "/") {
			continue // a file is there by another test
		}
		name := m[1][strings.LastIndex(m[1], ".")+1:]
		siblings, err := filepath.Glob(filepath.Join(root, path.Dir(file), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		found++
		if !slices.ContainsFunc(siblings, func(sibling string) bool { return codeOf(t, root, below(t, root, sibling))[name] }) {
			t.Errorf("%s says to start reading at %s, and the package has no such name", file, m[1])
		}
	}
	if found == 0 {
		t.Error("no comment says where to start: the pattern is out of date")
	}
}

// link is a link of Markdown to a file of ours, with the heading that it names.
var link = regexp.MustCompile(`\]\(([^)#:\s]*)(?:#([^)\s]*))?\)`)

// TestLinksLeadSomewhere: a link of a document names a file or a folder that is there, and a
// heading that it has.
func TestLinksLeadSomewhere(t *testing.T) {
	root := moduleRoot(t)
	texts := documents(t, root)
	for file, text := range texts {
		if !strings.HasSuffix(file, ".md") {
			continue
		}
		for _, found := range link.FindAllStringSubmatch(withoutCode(text), -1) {
			target, heading := path.Join(path.Dir(file), found[1]), found[2]
			if found[1] == "" {
				target = file
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s links to %s, which is not there", file, target)
			} else if heading != "" && !headings(texts[target])[heading] {
				t.Errorf("%s links to #%s of %s, which has no such heading", file, heading, target)
			}
		}
	}
}

var code = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")

func withoutCode(text string) string { return code.ReplaceAllString(text, "") }

var notInAnchors = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)

// headings are the anchors that GitHub gives the headings of a document.
func headings(text string) map[string]bool {
	anchors := map[string]bool{}
	for line := range strings.Lines(text) {
		if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && line[0] == '#' {
			title = notInAnchors.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
			anchors[strings.ReplaceAll(title, " ", "-")] = true
		}
	}
	return anchors
}

// allNames are the names of all files, without their folders.
func allNames(t *testing.T, root string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	walk(t, root, func(name string) { names[path.Base(name)] = true })
	return names
}

// texts are what documents has read, for the tests after the first one.
var texts map[string]string

// documents are the comments of the Go files that people wrote, and the Markdown files, by path.
func documents(t *testing.T, root string) map[string]string {
	t.Helper()
	if texts != nil {
		return texts
	}
	texts = map[string]string{}
	walk(t, root, func(name string) {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case strings.HasSuffix(name, ".md"):
			texts[name] = string(data)
		case strings.HasSuffix(name, ".go") && !strings.HasPrefix(path.Base(name), "zz_generated"):
			f, err := parser.ParseFile(token.NewFileSet(), name, data, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range f.Comments {
				texts[name] += c.Text() + "\n"
			}
		}
	})
	return texts
}

// walk calls visit with every file but those of test data and of what git does not keep.
func walk(t *testing.T, root string, visit func(name string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !d.IsDir():
			visit(below(t, root, name))
		case slices.Contains([]string{"testdata", "bin", "node_modules"}, d.Name()) || strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
