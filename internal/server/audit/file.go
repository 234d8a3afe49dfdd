package audit

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// asideFormat is when a file was put aside, in its name: audit-2026-11-22T09-44-36.000.log. Names
// are in the order of these times.
const asideFormat = "2006-01-02T15-04-05.000"

// file is a log that is put aside when it is full. Old ones go before there is a new one, so that
// the folder never holds more than what is configured. It is for one goroutine.
type file struct {
	path    string
	maxSize int64         // bytes of one file
	backups int           // how many old ones are kept, 0: all
	maxAge  time.Duration // for how long, 0: for ever

	out  *os.File // nil before the first write, and behind a failed rotation
	size int64
}

// Write appends whole lines. What does not fit any more goes into a new file. An error leaves the
// file as it is, or open to the next try.
func (f *file) Write(lines []byte) (int, error) {
	if f.out == nil {
		if err := f.open(); err != nil {
			return 0, err
		}
	}
	if f.size > 0 && f.size+int64(len(lines)) > f.maxSize {
		if err := f.rotate(); err != nil {
			return 0, err
		}
	}
	n, err := f.out.Write(lines)
	f.size += int64(n)
	return n, err
}

// Close may be called without a Write before.
func (f *file) Close() error {
	if f.out == nil {
		return nil
	}
	err := f.out.Close()
	f.out = nil
	return err
}

func (f *file) open() error {
	out, err := os.OpenFile(f.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	info, err := out.Stat()
	if err != nil {
		return errors.Join(err, out.Close())
	}
	f.out, f.size = out, info.Size()
	return nil
}

// rotate puts the file aside and begins a new one.
func (f *file) rotate() error {
	now := time.Now()
	if err := f.prune(now); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	stem, ext := f.parts()
	aside := stem + now.UTC().Format(asideFormat) + ext
	for n := time.Duration(1); ; n++ { // two in one millisecond
		if _, err := os.Lstat(aside); err != nil {
			break
		}
		aside = stem + now.Add(n*time.Millisecond).UTC().Format(asideFormat) + ext
	}
	if err := os.Rename(f.path, aside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // somebody who moved it away has it
	}
	return f.open()
}

// prune removes old files until there is room for one more.
func (f *file) prune(now time.Time) error {
	stem, ext := f.parts()
	old, err := aside(stem, ext)
	if err != nil {
		return err
	}
	var errs []error
	for i, path := range old {
		tooMany := f.backups > 0 && len(old)-i >= f.backups
		at, _ := time.Parse(asideFormat, strings.TrimSuffix(strings.TrimPrefix(path, stem), ext)) // aside has seen to that
		if tooMany || f.maxAge > 0 && now.Sub(at) > f.maxAge {
			errs = append(errs, os.Remove(path))
		}
	}
	return errors.Join(errs...)
}

// parts are what stands before and behind the time in the name of an old file.
func (f *file) parts() (stem, ext string) {
	ext = filepath.Ext(f.path)
	return strings.TrimSuffix(f.path, ext) + "-", ext
}

// aside are the files that were put aside, the oldest first. Others with such a beginning are
// somebody else's.
func aside(stem, ext string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Dir(stem))
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries { // in the order of their names
		path := filepath.Join(filepath.Dir(stem), e.Name())
		at, ours := strings.CutPrefix(strings.TrimSuffix(path, ext), stem)
		if _, err := time.Parse(asideFormat, at); ours && err == nil {
			out = append(out, path)
		}
	}
	return out, nil
}
