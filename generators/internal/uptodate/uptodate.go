// Package uptodate knows whether anything that gen reads has changed since a run that left no
// work to do. If nothing has, gen loads nothing.
//
// A manifest in the user's cache folder holds where such a run looked and one hash over everything
// it saw there. The hash covers the program itself, its flags, and what the go command says about
// its environment. It covers the files of the modules: go.mod, go.sum, go.work, and those of local
// replacements. It covers all Go files of the main modules, since plug-ins look around. Of other
// packages of the run it covers those that are neither in the module cache nor in GOROOT. Last come
// the files that the run printed. Contents are compared, never times. Whenever there is doubt the
// answer is no: a wrong "up to date" must not happen, a run too many may.
//
// Start reading at Look. The package knows no Go types and no tags, and what it stores may be
// deleted at any time.
package uptodate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/typeplane/typeplane/generators/internal/diag"
)

// Query describes a run.
type Query struct {
	// Folder is where manifests are kept.
	Folder string
	// Dir, Env and Patterns are those of the run.
	Dir      string
	Env      []string
	Patterns []string
	// Names are the base names of files that the run may print, and of others that it reads beside
	// Go files. All Markdown counts too: pages may be printed anywhere.
	Names []string
	// Salt is everything else that the outcome depends on: flags, the text of the header.
	Salt []string
}

// Run is a run that is about to begin, or that need not. A nil Run remembers nothing.
type Run struct {
	// UpToDate tells that a run would change nothing.
	UpToDate bool
	// Warnings are those of the run after which all was up to date.
	Warnings []diag.Problem

	file   string // the manifest
	env    goEnv
	base   scope
	before snapshot
	began  time.Time
}

// manifest is what is stored.
type manifest struct {
	Scope    scope
	Digest   string
	Warnings []diag.Problem
}

// Look compares the disk with the manifest of an earlier run of the same kind. It returns nil where
// nothing can be known: without a go command, outside modules, or with flags of the go command that
// replace files.
func Look(q Query) *Run {
	dir, err := filepath.Abs(q.Dir)
	if err != nil {
		return nil
	}
	env, err := readGoEnv(dir, q.Env)
	if err != nil || env.replacesFiles() || !env.inModule() {
		return nil
	}
	program, err := programHash()
	if err != nil {
		return nil
	}
	r := &Run{env: env, began: time.Now()}
	r.file = filepath.Join(q.Folder, key(dir, program, env, q)+".json")
	if r.base, err = baseScope(dir, env, q); err != nil {
		return nil
	}
	at := r.base
	known, found := readManifest(r.file)
	if found = found && known.Scope.contains(r.base); found {
		at = known.Scope
	}
	if r.before, err = at.look(); err != nil {
		return nil
	}
	if found && r.before.digest() == known.Digest {
		r.UpToDate, r.Warnings = true, known.Warnings
	}
	return r
}

// Output is a file as a run left it; no content means that it is not there.
type Output struct {
	Path    string
	Content []byte
}

// Remember stores that the run is over and that all is as it should be. folders are those of all
// packages that it looked at, warnings what it said. Nothing is stored if something seems to have
// changed while it ran.
func (r *Run) Remember(folders []string, outputs []Output, warnings []diag.Problem) {
	if r == nil {
		return
	}
	at := r.base
	for _, folder := range folders {
		if !r.env.immutable(folder) && !at.below(folder) {
			at.Folders = append(at.Folders, folder)
		}
	}
	printed := snapshot{}
	for _, o := range outputs {
		at.Files = append(at.Files, o.Path)
		printed[o.Path] = absent
		if o.Content != nil {
			printed[o.Path] = hash(o.Content)
		}
	}
	at.tidy()
	after, err := at.look()
	if err != nil || !r.steady(at, after, printed) {
		return
	}
	writeManifest(r.file, manifest{at, after.digest(), warnings})
}

// steady tells whether what was there at the end was there at the beginning, except for what the
// run printed. What the run only found on its way is taken for unchanged if it was a while old when
// it began.
func (r *Run) steady(at scope, after, printed snapshot) bool {
	for path, now := range after {
		want, ours := printed[path]
		was, seen := r.before[path]
		switch {
		case ours && now == want:
		case ours:
			return false
		case seen && was == now:
		case seen || r.base.covers(path) || !r.older(path):
			return false
		}
	}
	for path := range r.before {
		_, there := after[path]
		_, ours := printed[path]
		if !there && !ours && r.base.covers(path) {
			return false
		}
	}
	return true
}

// older tells whether a file, and the folder that it is in, have not been touched since two seconds
// before the run, which is as coarse as file systems are.
func (r *Run) older(path string) bool {
	limit := r.began.Add(-2 * time.Second)
	info, err := os.Stat(path)
	folder, folderErr := os.Stat(filepath.Dir(path))
	return err == nil && folderErr == nil && info.ModTime().Before(limit) && folder.ModTime().Before(limit)
}

// key names the manifest of a kind of run.
func key(dir, program string, env goEnv, q Query) string {
	data, err := json.Marshal([]any{1, dir, program, env.vars, q.Patterns, q.Names, q.Salt})
	if err != nil {
		panic(err) // strings can be marshalled
	}
	return hash(data)
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// programHash is the hash of the program that runs.
func programHash() (string, error) {
	name, err := os.Executable()
	if err != nil {
		return "", err
	}
	return hashFile(name)
}

// baseScope is where a run looks whatever it finds: the main modules, the files of the modules, and
// the folders that patterns name. Such a folder may be one that "..." leaves out.
func baseScope(dir string, env goEnv, q Query) (scope, error) {
	files, modules, err := moduleFiles(env)
	if err != nil {
		return scope{}, err
	}
	at := scope{Files: files, Roots: modules, Names: slices.Clone(q.Names)}
	for _, pattern := range q.Patterns {
		before, _, wild := strings.Cut(pattern, "...")
		local := pattern == "." || pattern == ".." || strings.HasPrefix(pattern, "./") || strings.HasPrefix(pattern, "../")
		switch {
		case filepath.IsAbs(pattern):
			local, dir = true, ""
			fallthrough
		case local && !wild:
			at.Folders = append(at.Folders, filepath.Join(dir, filepath.FromSlash(pattern)))
		case local:
			at.Roots = append(at.Roots, filepath.Join(dir, filepath.FromSlash(before[:strings.LastIndexByte(before, '/')+1])))
		}
	}
	at.tidy()
	return at, nil
}
