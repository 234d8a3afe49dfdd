// Package archtest holds the house's rules as tests: which package may import which, and why.
package archtest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/typeplane/typeplane"

// rule forbids imports. A path ending in "/..." stands for itself and everything below.
type rule struct {
	in     []string // packages, or single files, it holds for, relative to the module; "..." is all of them
	except []string // packages, or single files, that are allowed to
	forbid []string // import paths; "./x" is a package of this module
	but    []string // import paths that are allowed anyway
	tests  bool     // holds for test files too
	reason string
}

var rules = []rule{
	{
		in:     []string{"..."},
		except: []string{"cel/...", "policy/..."}, // what expressions mean is a contract that only k8s.io/apiserver/pkg/cel/library spells out
		forbid: []string{"k8s.io/apiserver/...", "k8s.io/client-go/...", "k8s.io/kubernetes/..."},
		tests:  true,
		reason: "the product replaces them; users' go.sum must not carry them, and tests and examples that need them live in modules of their own",
	},
	{
		in:     []string{"runtime/...", "storage/...", "registry/...", "internal/ownership/...", "internal/server/...", "internal/program/...", "internal/database", "internal/tool", "internal/serve/..."},
		except: []string{"registry/internal/patch", "registry/ownershiptest/adapter.go", "registry/ownershiptest/library.go", "registry/ownershiptest/apply.go"},
		forbid: []string{"k8s.io/apimachinery/..."},
		but: []string{
			"k8s.io/apimachinery/pkg/api/errors",
			"k8s.io/apimachinery/pkg/api/equality",   // the functions for single types that users may add to, in runtime/semantic
			"k8s.io/apimachinery/pkg/conversion",     // the type of the last argument of conversions, in runtime/lossless
			"k8s.io/apimachinery/pkg/api/operation",  // what compiled rules are told of a request
			"k8s.io/apimachinery/pkg/api/validate",   // the functions that compiled rules call for single values, in runtime/rules
			"k8s.io/apimachinery/pkg/api/validation", // the rules of ObjectMeta
			"k8s.io/apimachinery/pkg/api/resource",
			"k8s.io/apimachinery/pkg/apis/meta/v1",
			"k8s.io/apimachinery/pkg/fields",
			"k8s.io/apimachinery/pkg/labels",
			"k8s.io/apimachinery/pkg/runtime",
			"k8s.io/apimachinery/pkg/runtime/schema",
			"k8s.io/apimachinery/pkg/selection", // the operators of labels
			"k8s.io/apimachinery/pkg/types",
			"k8s.io/apimachinery/pkg/util/intstr",
			"k8s.io/apimachinery/pkg/util/validation",
			"k8s.io/apimachinery/pkg/util/validation/field",
		},
		reason: "of apimachinery the core uses the types that users share with controller-runtime and client-go, and leaf utilities; scheme, codecs, conversion and watch are written here, they are the product",
	},
	{
		in:     []string{"registry/internal/patch", "registry/ownershiptest/adapter.go", "registry/ownershiptest/library.go", "registry/ownershiptest/apply.go"},
		forbid: []string{"k8s.io/apimachinery/..."},
		but: []string{
			"k8s.io/apimachinery/pkg/api/errors",
			"k8s.io/apimachinery/pkg/apis/meta/v1",
			"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured", // what managedfields merges, in a test
			"k8s.io/apimachinery/pkg/runtime",
			"k8s.io/apimachinery/pkg/runtime/schema",
			"k8s.io/apimachinery/pkg/util/managedfields",
			"k8s.io/apimachinery/pkg/util/mergepatch", // the errors of strategicpatch
			"k8s.io/apimachinery/pkg/util/strategicpatch",
		},
		reason: "the semantics of strategic merge patches are a contract with clients that their one implementation defines, and only what carries out such patches uses it; those of field ownership are tested against their first implementation, which no program links",
	},
	{
		in:     []string{"..."},
		except: []string{"internal/ownership/...", "runtime/fieldset", "generators/internal/fieldset", "registry/ownershiptest"},
		forbid: []string{"sigs.k8s.io/structured-merge-diff/..."},
		reason: "sets of fields are for the tracking of field ownership only",
	},
	{
		in:     []string{"..."},
		forbid: []string{"k8s.io/klog/..."},
		reason: "we log through log/slog only",
	},
	{
		in:     []string{"..."},
		except: []string{"storage/etcd3"},
		forbid: []string{"go.etcd.io/etcd/client/v3", "go.etcd.io/etcd/client/v3/..."},
		tests:  false,
		reason: "storage/etcd3 is the one place that speaks etcd's client API, so that its errors and retries are translated once",
	},
	{
		in:     []string{"..."},
		except: []string{"storage/embedded"},
		forbid: []string{"go.etcd.io/etcd/server/v3/...", "go.etcd.io/etcd/etcdutl/..."},
		reason: "storage/embedded is the one place that starts an etcd server, and that makes the files of one",
	},
	{
		in:     []string{"storage/..."},
		forbid: []string{"./runtime/...", "./registry/...", "./internal/server/...", "./internal/program/...", "./internal/database", "./internal/tool", "./internal/serve/...", "net/http", "k8s.io/..."},
		but:    []string{"k8s.io/kms/apis/v2"}, // the rule below says where
		reason: "storage keeps bytes: it knows no Scheme, no objects and no HTTP; registry hands it the function that makes bytes canonical",
	},
	{
		in:     []string{"..."},
		except: []string{"storage/encryption/kms_client.go", "internal/kmstest"},
		forbid: []string{"k8s.io/kms/..."},
		reason: "one file speaks the protocol of KMS plug-ins, and their twin for tests; of Kubernetes it is the messages only",
	},
	{
		in:     []string{"..."},
		except: []string{"storage/encryption/..."},
		forbid: []string{"golang.org/x/crypto/..."},
		but:    []string{"golang.org/x/crypto/x509roots/fallback/bundle"}, // the authorities of public certificates, which images have
		reason: "who encrypts what is decided in one place; for everything else there is the standard library",
	},
	{
		in:     []string{"storage/encryption"},
		forbid: []string{"./storage/etcd3", "./storage/embedded", "./storage/cacher", "./storage/memory"},
		reason: "encryption is a Form: it works over any backend and knows none",
	},
	{
		in:     []string{"storage"},
		forbid: []string{"./..."},
		but:    []string{"./internal/recovery"}, // a leaf: a value that panics is undecodable in every store
		reason: "the contract stands below its implementations",
	},
	{
		in:     []string{"storage/memory", "storage/cacher", "storage/migration"},
		forbid: []string{"./storage/etcd3", "./storage/embedded", "go.etcd.io/..."},
		reason: "the twin, the cache and a migration work over any backend",
	},
	{
		in:     []string{"..."},
		except: []string{"internal/fairness", "internal/server", "internal/server/metrics", "internal/server/audit", "internal/program", "internal/database", "internal/serve"},
		forbid: []string{"github.com/prometheus/..."},
		reason: "what has numbers offers them as plain ones (cacher.Stats); how they are shown is decided where requests are counted and where everything is joined",
	},
	{
		in:     []string{"runtime/..."},
		forbid: []string{"./..."},
		but:    []string{"./runtime/..."},
		tests:  true,
		reason: "it is a module of its own, which packages of types require: with the main module they would get the requirements of a whole server",
	},
	{
		in:     []string{"runtime/..."},
		forbid: []string{"net/http"},
		reason: "the object model is below everything that stores or serves objects",
	},
	{
		in:     []string{"..."},
		except: []string{"runtime/jsonpatch"},
		forbid: []string{"gopkg.in/evanphx/json-patch.v4"},
		reason: "one package bounds what patches of strangers may cost, and survives those that the library does not",
	},
	{
		in:     []string{"runtime/wire"},
		forbid: []string{"./...", "k8s.io/..."},
		reason: "byte-level helpers are a leaf",
	},
	{
		in:     []string{"runtime/json"},
		forbid: []string{"./...", "k8s.io/...", "sigs.k8s.io/..."},
		reason: "generated code of any module leans on it; it knows JSON and no API, and is compared with other decoders in tests only",
	},
	{
		in:     []string{"registry/...", "internal/ownership/..."},
		forbid: []string{"./storage/etcd3", "./storage/embedded", "./storage/cacher", "./internal/server/...", "./internal/program/...", "./internal/database", "./internal/tool", "./internal/serve/..."},
		but:    []string{},
		reason: "registry meets its backend and its HTTP front in internal/serve; it sees storage.Interface and offers rest.Resource",
	},
	{
		in:     []string{"admission"},
		forbid: []string{"./registry/...", "./internal/server/...", "./internal/program/...", "./internal/database", "./internal/tool", "./internal/serve/...", "./storage/..."},
		but:    []string{"./storage", "./auth", "./registry/rest"}, // of rest: warnings and annotations, in the context, and the status of what is not valid
		reason: "admission sees requests; it knows who asks, how to tell a client something, and what an operation of a transaction is, no more",
	},
	{
		in:     []string{"registry/...", "internal/ownership/..."},
		except: []string{"registry/rest/connect.go", "registry/subresource_connect.go"},
		forbid: []string{"net/http"},
		reason: "verbs are answered with a rest.View, whoever asks; only a subresource that streams or takes over its connection has to be given that",
	},
	{
		in:     []string{"registry/rest"},
		forbid: []string{"./..."},
		reason: "what the HTTP layer sees of a resource says nothing of how it is made",
	},
	{
		in:     []string{"internal/server/..."},
		forbid: []string{"./storage/...", "./registry", "./internal/program/...", "./internal/database", "./internal/tool", "./internal/serve/...", "go.etcd.io/..."},
		reason: "the HTTP layer sees rest.View and rest.Stream only; it has no idea of keys and revisions",
	},
	{
		in:     []string{"..."},
		except: []string{"features/...", "internal/features/...", "examples/...", "policy/...", "tracing/tracing_test.go", "internal/tool/user_test.go"},
		forbid: []string{"./features/...", "./internal/features/..."},
		tests:  true,
		reason: "the kinds of the control plane are for programs that ask for them: a program that does not stays small",
	},
	{
		in:     []string{"internal/follow"},
		forbid: []string{"./..."},
		but:    []string{"./registry/rest", "./internal/wait", "./internal/recovery"},
		reason: "loops of the server see what clients see, rest.Resource, and neither stores nor HTTP",
	},
	{
		in:     []string{"..."},
		except: []string{"internal/features/...", "policy/..."},
		forbid: []string{"./internal/follow"},
		reason: "what has to be done for a kind is linked with the kind",
	},
	{
		in:     []string{"features/...", "internal/features/..."},
		except: []string{"internal/features/flowcontrol"}, // it asks whose turn it is, which no program of a user may
		forbid: []string{"./internal/program/...", "./internal/database", "./internal/tool", "./internal/serve/...", "./storage/..."},
		but:    []string{"./storage"},
		reason: "a feature extends a typeplane.Host, whatever the objects are stored in",
	},
	{
		in:     []string{"generators/..."},
		forbid: []string{"./runtime/...", "./storage/...", "./registry/...", "./internal/server/...", "./internal/program/...", "./internal/database", "./internal/tool", "./internal/serve/..."},
		but: []string{"./runtime/protobuf", "./runtime/lossless", "./runtime/rules", "./runtime/deepcopy", // as text, to be printed where it can't be imported
			"./runtime/jsonpath"}, // a leaf: both read the paths of columns, in one way
		reason: "the generator knows the runtime only by the names that it prints, so that gen builds without it",
	},
	{
		in:     []string{"trace"},
		forbid: []string{"./...", "go.opentelemetry.io/...", "google.golang.org/...", "k8s.io/...", "github.com/..."},
		reason: "everything that is traced imports it; who keeps the traces is for a program to link",
	},
	{
		in:     []string{"internal/etcdproc", "internal/certtest", "internal/testserver", "internal/drill", "internal/debugsocket"},
		forbid: []string{"./...", "go.etcd.io/...", "google.golang.org/...", "k8s.io/...", "github.com/..."},
		tests:  true,
		reason: "nested modules with any set of dependencies use them: they need the standard library only",
	},
	{
		in:     []string{"..."},
		except: []string{"internal/etcdproc", "internal/certtest", "internal/testserver", "internal/drill", "internal/debugsocket", "internal/tsc", "hack/drills"},
		forbid: []string{"./internal/etcdproc", "./internal/certtest", "./internal/testserver", "./internal/drill", "./internal/debugsocket", "./internal/tsc"},
		reason: "they are for tests and demos",
	},
	{
		in:     []string{"..."},
		except: []string{"internal/database/faultinject.go"},
		forbid: []string{"./internal/faultinject"},
		reason: "it holds bugs; a server has them only if it is built with the tag faultinject",
	},
	{
		in:     []string{"..."},
		except: []string{"cel/...", "policy/..."},
		forbid: []string{"github.com/google/cel-go/...", "./cel/...", "./policy/..."},
		tests:  true,
		reason: "modules cel and policy have the language of expressions, for programs that link it",
	},
	{
		in:     []string{"generators/internal/validation/cel/..."},
		forbid: []string{"./generators/..."},
		but:    []string{"./generators/internal/emit", "./generators/internal/model", "./generators/internal/tag", "./generators/internal/validation/cel/ast", "./generators/internal/validation/cel/check", "./generators/internal/validation/plan", "./generators/internal/validation/shape"},
		reason: "the compiler of CEL has a contract of its own: a text and a type go in, a plan comes out",
	},
	{
		in:     []string{"generators/internal/validation/printer"},
		forbid: []string{"./generators/internal/validation/cel/...", "./generators/internal/validation/rule", "./generators/internal/validation/declarative", "./generators/internal/validation/marker"},
		reason: "what is printed has been decided",
	},
	{
		in:     []string{"..."},
		except: []string{"cmd/gen", "generators/..."},
		forbid: []string{"./generators/..."},
		reason: "no server links the generator",
	},
}

func TestImports(t *testing.T) {
	root := moduleRoot(t)
	for file, imports := range goFiles(t, root) {
		pkg := path.Dir(file)
		isTest := strings.HasSuffix(file, "_test.go")
		for _, r := range rules {
			if isTest && !r.tests || !matchAny(r.in, pkg) && !matchAny(r.in, file) || matchAny(r.except, pkg) || matchAny(r.except, file) {
				continue
			}
			for _, imp := range imports {
				if matchImport(r.forbid, imp) && !matchImport(r.but, imp) {
					t.Errorf("%s imports %s: %s", file, imp, r.reason)
				}
			}
		}
	}
}

// TestRulesHoldForSomething keeps a rule from outliving the package that it is about.
func TestRulesHoldForSomething(t *testing.T) {
	root := moduleRoot(t)
	packages := map[string]bool{}
	for file := range goFiles(t, root) {
		packages[path.Dir(file)] = true
		packages[file] = true
	}
	for _, r := range rules {
		for _, pattern := range append(append([]string(nil), r.in...), r.except...) {
			found := false
			for pkg := range packages {
				found = found || match(pattern, pkg)
			}
			if !found {
				t.Errorf("rule %q: no package matches %q", r.reason, pattern)
			}
		}
	}
}

// TestNoJunkDrawers keeps out the package names that say nothing about what is inside.
func TestNoJunkDrawers(t *testing.T) {
	for file := range goFiles(t, moduleRoot(t)) {
		for _, element := range strings.Split(path.Dir(file), "/") {
			switch element {
			case "util", "utils", "common", "helpers", "types", "misc":
				t.Errorf("%s: a package called %q says nothing; name what it does", file, element)
			}
		}
	}
}

func matchAny(patterns []string, pkg string) bool {
	for _, p := range patterns {
		if match(p, pkg) {
			return true
		}
	}
	return false
}

func matchImport(patterns []string, imp string) bool {
	for _, p := range patterns {
		if rest, ok := strings.CutPrefix(p, "./"); ok {
			if inside, ok := strings.CutPrefix(imp, module+"/"); ok && match(rest, inside) {
				return true
			}
			continue
		}
		if match(p, imp) {
			return true
		}
	}
	return false
}

func match(pattern, name string) bool {
	if pattern == "..." {
		return true
	}
	if prefix, ok := strings.CutSuffix(pattern, "/..."); ok {
		return name == prefix || strings.HasPrefix(name, prefix+"/")
	}
	return name == pattern
}

// goFiles returns the imports of every Go file of the modules that users import, by the file's path
// below root. Modules for tests and test data are not part of it.
func goFiles(t *testing.T, root string) map[string][]string {
	t.Helper()
	files, kinds := map[string][]string{}, modules(t, root).kinds()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") || kinds[below(t, root, name)] == test {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		imports := []string{}
		for _, spec := range f.Imports {
			imp, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			imports = append(imports, imp)
		}
		files[below(t, root, name)] = imports
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
