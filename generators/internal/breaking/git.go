package breaking

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// checkout is an older state of a repository in a temporary folder.
type checkout struct {
	root string // of the repository
	dir  string // the folder in it that the run is about
}

func (c checkout) remove() { os.RemoveAll(c.root) }

// checkOut writes the files of a commit into a temporary folder: all of the repository, for the
// module may replace others by folders beside it.
func checkOut(cfg Config) (checkout, error) {
	top, err := git(cfg, "rev-parse", "--show-toplevel")
	if err != nil {
		return checkout{}, fmt.Errorf("%s is in no git repository, so there is nothing to compare with: %w", shown(cfg.Dir), err)
	}
	prefix, err := git(cfg, "rev-parse", "--show-prefix")
	if err != nil {
		return checkout{}, err
	}
	commit, err := git(cfg, "rev-parse", "--verify", "--quiet", "--end-of-options", cfg.Ref+"^{commit}")
	if err != nil {
		return checkout{}, fmt.Errorf("git knows no commit %q; name a commit, a tag or a branch that is here, perhaps after git fetch", cfg.Ref)
	}
	root, err := os.MkdirTemp("", "gen-breaking-")
	if err != nil {
		return checkout{}, err
	}
	// The go command reports files by their true names.
	if resolved, err := filepath.EvalSymlinks(root); err == nil {
		root = resolved
	}
	c := checkout{root: root, dir: filepath.Join(root, filepath.FromSlash(strings.TrimSpace(string(prefix))))}
	cfg.Dir = strings.TrimSpace(string(top))
	err = writeTree(cfg, strings.TrimSpace(string(commit)), root)
	if err == nil {
		err = followReplacements(c.dir, root, cfg.Dir)
	}
	if err != nil {
		c.remove()
		return checkout{}, fmt.Errorf("take %s out of git: %w", cfg.Ref, err)
	}
	return c, nil
}

func git(cfg Config, args ...string) ([]byte, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = cfg.Dir, cfg.Env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil && stderr.Len() > 0 {
		err = errors.New(strings.TrimSpace(stderr.String()))
	}
	return out, err
}

func shown(dir string) string {
	if dir == "" {
		return "the working directory"
	}
	return dir
}

// followReplacements makes replacements of go.mod that lead out of the repository lead there from
// the temporary folder too. Those are as they are now: git knows no older state of them.
func followReplacements(dir, root, top string) error {
	for dir != filepath.Dir(root) {
		name := filepath.Join(dir, "go.mod")
		data, err := os.ReadFile(name)
		if errors.Is(err, os.ErrNotExist) {
			dir = filepath.Dir(dir)
			continue
		}
		if err != nil {
			return err
		}
		mod, err := modfile.Parse(name, data, nil)
		if err != nil {
			return err
		}
		for _, r := range slices.Clone(mod.Replace) {
			if r.New.Version != "" || filepath.IsAbs(r.New.Path) {
				continue
			}
			target := filepath.Join(dir, filepath.FromSlash(r.New.Path))
			if within(target, root) {
				continue
			}
			here, err := filepath.Rel(root, target)
			if err != nil {
				return err
			}
			if err := mod.AddReplace(r.Old.Path, r.Old.Version, filepath.Join(top, here), ""); err != nil {
				return err
			}
		}
		if data, err = mod.Format(); err != nil {
			return err
		}
		return os.WriteFile(name, data, 0o644)
	}
	return nil
}

func within(name, dir string) bool {
	return name == dir || strings.HasPrefix(name, dir+string(filepath.Separator))
}

// patterns are those that name something in the older state too.
func (c checkout) patterns(patterns []string) []string {
	if _, err := os.Stat(c.dir); err != nil {
		return nil
	}
	var out []string
	for _, p := range patterns {
		if strings.HasPrefix(p, ".") {
			base, _, _ := strings.Cut(p, "...")
			if _, err := os.Stat(filepath.Join(c.dir, filepath.FromSlash(base))); err != nil {
				continue
			}
		}
		out = append(out, p)
	}
	return out
}
