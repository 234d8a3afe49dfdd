package scaffold

import (
	"path"
	"strings"
)

// program is what the templates of a server need.
type program struct {
	Name     string // of the server
	Binary   string // of the program: the folder of its main
	MainDir  string
	Patterns string // for gen
	// Package is the package of the server, ServerPath its import path, ServerBase the last word of
	// that, ServerFile its file. KindsIn says where the kinds are.
	Package, ServerPath, ServerBase, ServerFile, KindsIn string
}

// newProgram is a server in a folder of a module.
func newProgram(module, folder, name string, patterns []string) program {
	importPath := path.Join(module, folder)
	pkg := packageName(name)
	if folder != "" {
		pkg = packageName(path.Base(folder))
	}
	return program{
		Name: name, Binary: name, MainDir: "cmd/" + name, Patterns: strings.Join(patterns, " "),
		Package: pkg, ServerPath: importPath, ServerBase: path.Base(importPath), ServerFile: path.Join(folder, pkg+".go"),
	}
}

// kind is what the templates of a kind need.
type kind struct {
	program
	Group, Version, Kind, Plural, Singular, An, Receiver string
	// KindPath is the import path of the package of the version, KindPackage its name.
	KindPath, KindPackage   string
	TypesFile, StrategyFile string
	Cluster                 bool
}

// newKind is a kind in a version's package. folder is that of the package, server that of the
// server's package, both relative to the module.
func newKind(p program, group, version, name, importPath, folder, server string) kind {
	lower := strings.ToLower(name)
	return kind{
		program: p, Group: group, Version: version, Kind: name,
		Plural: plural(name), Singular: lower, An: withArticle(lower), Receiver: receiver(name, version),
		KindPath: importPath, KindPackage: version,
		TypesFile: path.Join(folder, lower+"_types.go"), StrategyFile: path.Join(server, lower+"_strategy.go"),
	}
}

// testFile is the file of the kind's test.
func (k kind) testFile() string {
	return strings.TrimSuffix(k.StrategyFile, "_strategy.go") + "_test.go"
}
