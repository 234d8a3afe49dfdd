package clients

import (
	"os"
	"path/filepath"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

const (
	clientGo = "k8s.io/client-go"
	// oldest is the first version of client-go that has what printed code calls.
	oldest = "v0.37.0"
)

// checkClientGo reports a module whose client-go is too old. That it has none is said by the run,
// for whatever a file imports.
func (p *planner) checkClientGo() {
	text, err := os.ReadFile(filepath.Join(p.module().Dir, "go.mod"))
	if err != nil {
		return // the go command says more about it
	}
	if version := tooOld(text); version != "" {
		p.problemAt(p.root, ": clients are printed for "+clientGo+" "+oldest+" or later, and go.mod has "+version, "run go get "+clientGo+"@latest")
	}
}

// tooOld is the version of client-go that a go.mod requires, "" if it will do.
func tooOld(gomod []byte) string {
	file, err := modfile.Parse("go.mod", gomod, nil)
	if err != nil {
		return ""
	}
	for _, r := range file.Replace {
		if r.Old.Path == clientGo {
			return "" // nobody knows what is there
		}
	}
	for _, r := range file.Require {
		if r.Mod.Path == clientGo && semver.Compare(r.Mod.Version, oldest) < 0 {
			return r.Mod.Version
		}
	}
	return ""
}
