package model

import (
	"os"
	"path/filepath"
)

// ModuleRoot is the nearest folder with a go.mod, dir or one above; dir itself if there is none.
func ModuleRoot(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}
