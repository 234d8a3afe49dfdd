package gen

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/gentest"

	"golang.org/x/tools/txtar"
)

var (
	howMany     = flag.Int("variants", 10, "try so many variants of the examples' types; there are some thousands")
	onlyVariant = flag.String("variants.only", "", "try only the variants whose name matches this expression")
)

// variant is an API of the examples with one change. It is a group of its own in one large program.
type variant struct {
	id, what string
	files    map[string][]byte // below its folder
}

// base is what variants are made of: packages of the examples.
type base struct {
	name, dir string
	packages  []string // folders below dir, "." for itself
	mutated   string   // the file that changes, in the folder of the variant
	drop      string   // lines that are left out everywhere: an expression
}

// bases are an API with protobuf, the same stored as documents, one with two versions and a hub,
// and one of many structs. What needs a strategy, or writes into a folder that is none of theirs,
// is left out.
var bases = []base{
	{"protobuf", "examples/library/api", []string{"v1"}, "api/v1/types.go", `conversion-gen=|typeplane:(docs|roundtrip-gen|subresource|typescript)`},
	{"document", "examples/library/api", []string{"v1"}, "api/v1/types.go", `conversion-gen=|typeplane:(docs|roundtrip-gen|subresource|typescript)|protobuf-gen`},
	{"versions", "examples/library/api", []string{".", "v1", "v1alpha1"}, "api/v1alpha1/types.go", `typeplane:(docs|roundtrip-gen|subresource|typescript)`},
	{"scaler", "examples/cluster/api/autoscaling", []string{"v2"}, "autoscaling/v2/metrics.go", `conversion-gen=|typeplane:(docs|roundtrip-gen|conversion|kubernetes)`},
}

// read returns the files of a base with the import paths of a folder of the program.
func (b base) read(t *testing.T, id string) map[string][]byte {
	t.Helper()
	root := gentest.Root(t)
	dropped := regexp.MustCompile(`(?m)^// \+\S*(` + b.drop + `).*\n`)
	out := map[string][]byte{}
	for _, pkg := range b.packages {
		names, err := filepath.Glob(filepath.Join(root, b.dir, pkg, "*.go"))
		if err != nil || len(names) == 0 {
			t.Fatal(err, names)
		}
		for _, name := range append(names, filepath.Join(root, b.dir, pkg, "generated.proto")) {
			file := filepath.Base(name)
			if strings.HasPrefix(file, "zz_") || file == "generated.pb.go" || strings.HasSuffix(file, "_test.go") {
				continue
			}
			data, err := os.ReadFile(name)
			if os.IsNotExist(err) {
				continue
			} else if err != nil {
				t.Fatal(err)
			}
			data = dropped.ReplaceAll(data, nil)
			data = bytes.ReplaceAll(data, []byte("github.com/typeplane/typeplane/"+path.Dir(b.dir)), []byte("example.com/"+id))
			data = bytes.ReplaceAll(data, []byte("\ntype Loan struct {"), []byte("\n//\n// +kubebuilder:skipversion\ntype Loan struct {"))
			data = groupLine.ReplaceAll(data, []byte("// +groupName="+id+".example.com"))
			out[filepath.Join(path.Base(b.dir), pkg, file)] = data
		}
	}
	return out
}

var groupLine = regexp.MustCompile(`(?m)^// \+groupName=.*$`)

// variants makes variants of all bases, which differ in base and change as far as there are few of
// them.
func variants(t *testing.T) (out []*variant) {
	t.Helper()
	id := 0
	for _, b := range bases {
		files := b.read(t, "base")
		for _, mutate := range mutations {
			for _, c := range mutate(parse(t, files[b.mutated])) {
				v := &variant{id: fmt.Sprintf("n%04d", id), what: b.name + ": " + c.what}
				id++
				if *onlyVariant != "" && !regexp.MustCompile(*onlyVariant).MatchString(v.what) {
					continue
				}
				v.files = maps.Clone(files)
				v.files[b.mutated] = c.data
				for name, data := range v.files {
					data = bytes.ReplaceAll(data, []byte("example.com/base"), []byte("example.com/"+v.id))
					v.files[name] = bytes.ReplaceAll(data, []byte("base.example.com"), []byte(v.id+".example.com"))
				}
				out = append(out, v)
			}
		}
	}
	if *howMany >= len(out) || *onlyVariant != "" {
		return out
	}
	var chosen []*variant
	for i := range *howMany {
		chosen = append(chosen, out[(i*len(out)+len(out)/2) / *howMany])
	}
	return chosen
}

// program is a module that holds variants, and serves them all.
type program struct {
	dir      string
	variants map[string]*variant // by id
	refused  int
	// warned is what gen has warned the variants of.
	warned map[string]string
}

// TestVariants makes variants of the examples' types. gen has a problem with one, or it is built,
// started and sent an object of each kind, which comes back as it was.
func TestVariants(t *testing.T) {
	main := "// +typeplane:apiserver\npackage main\n\nfunc main() {}\n"
	check, err := os.ReadFile("testdata/variants/main_test.go")
	if err != nil {
		t.Fatal(err)
	}
	p := &program{variants: map[string]*variant{}}
	archive := &txtar.Archive{Files: []txtar.File{{Name: "main.go", Data: []byte(main)}, {Name: "main_test.go", Data: check}}}
	for _, v := range variants(t) {
		p.variants[v.id] = v
		for name, data := range v.files {
			archive.Files = append(archive.Files, txtar.File{Name: filepath.Join(v.id, name), Data: data})
		}
	}
	tried := len(p.variants)
	p.dir = gentest.Module(t, archive)
	p.generate(t)
	for p.serve(t) {
		p.generate(t)
	}
	t.Logf("%d variants: gen has a problem with %d, %d are served", tried, p.refused, len(p.variants))
	if *onlyVariant == "" && (p.refused < tried/10 || len(p.variants) < tried/10) {
		t.Errorf("too few on one side to prove anything")
	}
}

var idIn = regexp.MustCompile(`\bn[0-9]{4}`)

// generate runs gen, and takes the variants out that it has problems with, until it has none.
func (p *program) generate(t *testing.T) {
	t.Helper()
	for {
		result, err := generators.Run(generators.Config{Dir: p.dir, Env: gentest.Env(), Patterns: []string{"./..."}, Plugins: plugins()})
		if err != nil {
			p.fail(t, "gen", err.Error())
			continue
		}
		if len(result.Problems) == 0 {
			p.warned = map[string]string{}
			for _, w := range result.Warnings {
				p.warned[idIn.FindString(w.String())] += w.String() + "\n"
			}
			return
		}
		said := map[string][]string{}
		for _, problem := range texts(result) {
			id := idIn.FindString(problem)
			if p.variants[id] == nil {
				t.Fatalf("a problem of no variant: %s", problem)
			}
			said[id] = append(said[id], problem)
		}
		for _, id := range slices.Sorted(maps.Keys(said)) {
			t.Logf("%s\n\t%s", p.variants[id].what, strings.Join(said[id], "\n\t"))
			p.remove(t, id)
			p.refused++
		}
	}
}

func (p *program) remove(t *testing.T, id string) {
	t.Helper()
	delete(p.variants, id)
	if err := os.RemoveAll(filepath.Join(p.dir, id)); err != nil {
		t.Fatal(err)
	}
}

// byVariant sorts lines by the variants that they name.
func byVariant(text string) map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(text) {
		if id := idIn.FindString(line); id != "" && !strings.HasPrefix(line, "#") {
			out[id] = append(out[id], strings.TrimRight(line, "\n"))
		}
	}
	return out
}

// fail reports what a stage says about variants, and takes them out.
func (p *program) fail(t *testing.T, stage, text string) {
	t.Helper()
	found := false
	for id, said := range byVariant(text) {
		if v := p.variants[id]; v != nil {
			found = true
			t.Errorf("%s (%s): %s:\n\t%s", v.what, id, stage, strings.Join(said[:min(len(said), 8)], "\n\t"))
			p.remove(t, id)
		}
	}
	if !found {
		t.Fatalf("%s: %s", stage, text)
	}
}

// notBuilt takes the variants out that the compiler has something against.
func (p *program) notBuilt(t *testing.T, said string) {
	t.Helper()
	said = p.withImports(t, said)
	own := false
	for id, lines := range byVariant(said) {
		if v := p.variants[id]; v != nil && !slices.ContainsFunc(lines, func(line string) bool { return !inBody.MatchString(line) }) {
			t.Logf("%s\n\t%s", v.what, strings.Join(lines, "\n\t"))
			p.remove(t, id)
			p.refused++
			own = true
		}
	}
	if !own {
		p.fail(t, "what gen prints does not compile", said)
	}
}

// inBody matches what the compiler says about the functions beside the types, which do not fit
// these any more, and about imports that only a function could use. The reason is that gen does not
// look into functions.
var inBody = regexp.MustCompile(`/(defaults|conversion)\.go:|/(types|metrics)\.go:.*imported (as \w+ )?and not used`)

// returnsNil matches variants with a method that returns no metadata, of which gen sees nothing
// either.
var returnsNil = regexp.MustCompile(`write func .* GetObjectMeta\(\) .*return nil`)

// notStarted takes the variants out that the program does not start with.
func (p *program) notStarted(t *testing.T, said string) {
	t.Helper()
	own := false
	for id := range byVariant(said) {
		if v := p.variants[id]; v != nil && returnsNil.MatchString(v.what) {
			p.remove(t, id)
			p.refused++
			own = true
		}
	}
	if !own {
		p.fail(t, "the program does not start", said)
	}
}

var (
	inProgram = regexp.MustCompile(`(?m)^\./(zz_\S+\.go):(\d+):.*$`)
	imported  = regexp.MustCompile(`(?m)^\t(\w+) "example\.com/(n[0-9]{4})`)
)

// withImports adds the variant to what the compiler says about the program's own files, where it is
// found from the name of an import on the line, or above it.
func (p *program) withImports(t *testing.T, said string) string {
	return inProgram.ReplaceAllStringFunc(said, func(line string) string {
		m := inProgram.FindStringSubmatch(line)
		data, err := os.ReadFile(filepath.Join(p.dir, m[1]))
		if err != nil {
			t.Fatal(err)
		}
		names := map[string]string{}
		for _, found := range imported.FindAllStringSubmatch(string(data), -1) {
			names[found[1]] = found[2]
		}
		var number int
		fmt.Sscan(m[2], &number)
		lines := strings.Split(string(data), "\n")
		for i := number - 1; i > 0; i-- {
			for _, word := range regexp.MustCompile(`\w+`).FindAllString(lines[i], -1) {
				for _, part := range strings.Split(word, "_") {
					if names[part] != "" {
						return line + " of " + names[part]
					}
				}
			}
		}
		return line
	})
}

// serve builds and starts the program and sends its objects round, and tells whether it has to be
// done again without some variants.
func (p *program) serve(t *testing.T) bool {
	t.Helper()
	cmd := exec.Command("go", "test", "-vet=off", "-count=1", "-json", ".")
	cmd.Dir, cmd.Env = p.dir, gentest.Env()
	out, err := cmd.CombinedOutput()
	if err == nil {
		return false
	}
	var built, started strings.Builder
	said := map[string]*strings.Builder{}
	var failed []string
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var e struct{ Action, Test, Output string }
		if err := d.Decode(&e); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if said[e.Test] == nil {
			said[e.Test] = &strings.Builder{}
		}
		switch {
		case e.Action == "build-output":
			built.WriteString(e.Output)
		case e.Action == "output":
			said[e.Test].WriteString(e.Output)
			started.WriteString(e.Output)
		case e.Action == "fail" && idIn.MatchString(e.Test):
			failed = append(failed, e.Test)
		}
	}
	switch {
	case built.Len() > 0:
		p.notBuilt(t, built.String())
	case len(failed) == 0:
		p.notStarted(t, started.String())
	default:
		for _, test := range failed {
			id := idIn.FindString(test)
			if strings.Contains(p.warned[id], "loses it") {
				t.Logf("%s: does not come back, as was said:\n\t%s", p.variants[id].what, p.warned[id])
				continue
			}
			t.Errorf("%s (%s): %s: does not come back as it was sent:\n%.1500s", p.variants[id].what, id, test, said[test])
		}
		return false
	}
	return len(p.variants) > 0
}
