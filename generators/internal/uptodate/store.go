package uptodate

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"
)

// keep is for how long a manifest lies around that nobody renews.
const keep = 30 * 24 * time.Hour

func readManifest(file string) (manifest, bool) {
	data, err := os.ReadFile(file)
	if err != nil {
		return manifest{}, false
	}
	var m manifest
	if json.Unmarshal(data, &m) != nil || m.Digest == "" {
		return manifest{}, false
	}
	return m, true
}

// writeManifest puts a manifest in its place at once, so that runs beside this one see the old or
// the new one. If that is not possible, the next run does its work again.
func writeManifest(file string, m manifest) {
	data, err := json.Marshal(m)
	if err != nil || os.MkdirAll(filepath.Dir(file), 0o700) != nil {
		return
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), "new-*")
	if err != nil {
		return
	}
	_, err = tmp.Write(data)
	if errors.Join(err, tmp.Close()) != nil || os.Rename(tmp.Name(), file) != nil {
		os.Remove(tmp.Name())
		return
	}
	sweep(filepath.Dir(file))
}

// sweep removes manifests of runs long ago.
func sweep(folder string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > keep {
			os.Remove(filepath.Join(folder, e.Name()))
		}
	}
}
