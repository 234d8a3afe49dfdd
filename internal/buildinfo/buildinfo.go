// Package buildinfo says what the running program was built of.
//
// All of it is what the go command notes in each program that it builds, so nobody has to pass a
// flag to the linker. Start reading at Read.
package buildinfo

import (
	"cmp"
	"runtime"
	"runtime/debug"
	"slices"
)

// Kubernetes is the release of Kubernetes that the API behaves like.
const Kubernetes = "v1.37.2"

// Module is the path of this module.
const Module = "github.com/typeplane/typeplane"

// unknown is the version of what was built in a folder without version control.
const unknown = "(devel)"

// Info is what a program was built of. Revision and Time are "" where no version control was at
// hand, as in most builds of container images.
type Info struct {
	// Module is the path of the program's module, Version the version of it.
	Module  string `json:"module,omitempty"`
	Version string `json:"version"`
	// Revision is the commit, and Time when it was made.
	Revision string `json:"revision,omitempty"`
	Time     string `json:"time,omitempty"`
	// Dirty says that files were changed after that commit.
	Dirty bool `json:"dirty,omitempty"`
	// Kubernetes is the release that the API behaves like, Typeplane the version of this module.
	Kubernetes string `json:"kubernetes"`
	Typeplane  string `json:"typeplane"`
	Go         string `json:"go"`
	Platform   string `json:"platform"`
}

// Read returns what the running program was built of.
func Read() Info {
	build, ok := debug.ReadBuildInfo()
	if !ok { // another tool than the go command has linked it
		build = new(debug.BuildInfo)
	}
	return of(build)
}

func of(build *debug.BuildInfo) Info {
	i := Info{
		Module: build.Main.Path, Version: versionOf(&build.Main),
		Kubernetes: Kubernetes, Typeplane: unknown,
		Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	for _, m := range slices.Concat(build.Deps, []*debug.Module{&build.Main}) {
		if m.Path == Module {
			i.Typeplane = versionOf(m)
		}
	}
	for _, s := range build.Settings {
		switch s.Key {
		case "vcs.revision":
			i.Revision = s.Value
		case "vcs.time":
			i.Time = s.Value
		case "vcs.modified":
			i.Dirty = s.Value == "true"
		}
	}
	return i
}

// versionOf is the version of what was compiled: of a module that is replaced, that of the other
// one.
func versionOf(m *debug.Module) string {
	if m.Replace != nil {
		m = m.Replace
	}
	return cmp.Or(m.Version, unknown)
}

// TreeState says in the words of Kubernetes whether files were changed after the commit.
func (i Info) TreeState() string {
	switch {
	case i.Revision == "":
		return ""
	case i.Dirty:
		return "dirty"
	}
	return "clean"
}
