package uptodate

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

// scope is where a run looks.
type scope struct {
	Roots   []string // folders with all below that the go command's "..." matches
	Folders []string // folders without what is below
	Files   []string // which may not exist
	Names   []string // base names of files that count in folders, besides Go files
}

// snapshot is what is there: the hash of each file.
type snapshot map[string]string

// absent stands for the hash of a file of scope.Files that does not exist.
const absent = "absent"

// tidy sorts a scope, so that equal ones have equal manifests.
func (s *scope) tidy() {
	for _, list := range []*[]string{&s.Roots, &s.Folders, &s.Files, &s.Names} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
}

// contains tells whether a scope has all of another one.
func (s scope) contains(other scope) bool {
	within := func(all, some []string) bool {
		return !slices.ContainsFunc(some, func(x string) bool { return !slices.Contains(all, x) })
	}
	return within(s.Roots, other.Roots) && within(s.Folders, other.Folders) && within(s.Files, other.Files) &&
		within(s.Names, other.Names)
}

// below tells whether a folder is seen through a root. One that patterns do not match is not,
// though it is inside.
func (s scope) below(folder string) bool {
	return slices.ContainsFunc(s.Roots, func(root string) bool {
		if !inside(root, folder) {
			return false
		}
		for dir := folder; dir != root; dir = filepath.Dir(dir) {
			if skipped(dir) {
				return false
			}
		}
		return true
	})
}

// covers tells whether a file is in the scope if it exists.
func (s scope) covers(path string) bool {
	dir := filepath.Dir(path)
	return slices.Contains(s.Files, path) || slices.Contains(s.Folders, dir) || s.below(dir)
}

// look reads everything in the scope.
func (s scope) look() (snapshot, error) {
	var files []string
	for _, root := range s.Roots {
		if err := s.walk(root, &files); err != nil {
			return nil, err
		}
	}
	for _, folder := range s.Folders {
		if _, err := s.list(folder, &files); err != nil {
			return nil, err
		}
	}
	files = append(files, s.Files...)
	slices.Sort(files)
	return hashAll(slices.Compact(files))
}

// walk collects the files that count below a folder, in the folders that the go command's "..."
// matches.
func (s scope) walk(dir string, files *[]string) error {
	folders, err := s.list(dir, files)
	if err != nil {
		return err
	}
	for _, folder := range folders {
		if skipped(folder) {
			continue
		}
		if err := s.walk(folder, files); err != nil {
			return err
		}
	}
	return nil
}

// skipped tells folders that "..." does not go into: hidden ones, vendored and test data. It does
// not go into other modules either, but those are few.
func skipped(dir string) bool {
	base := filepath.Base(dir)
	return strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata" || base == "vendor"
}

// list collects the files of a folder that count and returns the folders in it. A folder that does
// not exist is empty.
func (s scope) list(dir string, files *[]string) (folders []string, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name, path := e.Name(), filepath.Join(dir, e.Name())
		switch {
		case e.IsDir():
			folders = append(folders, path)
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"),
			name == "go.mod", strings.HasSuffix(name, ".md"), slices.Contains(s.Names, name):
			*files = append(*files, path)
		}
	}
	return folders, nil
}

// hashAll hashes files, several at a time.
func hashAll(files []string) (snapshot, error) {
	var mu sync.Mutex // guards out
	out := make(snapshot, len(files))
	var group errgroup.Group
	group.SetLimit(2 * runtime.GOMAXPROCS(0))
	for chunk := range slices.Chunk(files, 16) {
		group.Go(func() error {
			for _, file := range chunk {
				sum, err := hashFile(file)
				if errors.Is(err, fs.ErrNotExist) {
					sum, err = absent, nil
				}
				if err != nil {
					return err
				}
				mu.Lock()
				out[file] = sum
				mu.Unlock()
			}
			return nil
		})
	}
	return out, group.Wait()
}

func hashFile(name string) (string, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// digest is one hash over all files and their hashes.
func (s snapshot) digest() string {
	lines := make([]string, 0, len(s))
	for path, sum := range s {
		lines = append(lines, path+"\x00"+sum)
	}
	slices.Sort(lines)
	return hash([]byte(strings.Join(lines, "\n")))
}
