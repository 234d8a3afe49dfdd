package serve

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// readAgainEvery is how long what was read from files is used before they are looked at again.
const readAgainEvery = 10 * time.Second

// reloaded is what was made of some files. What replaces them is in use within seconds of when
// somebody asks. What can't be used, such as half of a pair, is logged once, and what was there
// before stays. Whoever asks at the wrong moment reads the files; nobody waits for that. All
// methods may be called from any goroutine.
type reloaded[T any] struct {
	what  string // for the log, like "serving certificate"
	files []string
	parse func(contents ...[]byte) (T, error)
	log   *slog.Logger
	now   func() time.Time

	current atomic.Pointer[T]
	next    atomic.Int64 // when the files are to be looked at again, in nanoseconds since 1970

	mu       sync.Mutex // guards what follows
	read     [][]byte   // last, good or not
	complain bool       // it was no good
}

// openReloaded reads the files a first time, and fails if they are no good. parse is called with
// the contents in the order of the files, and must not keep them.
func openReloaded[T any](what string, files []string, log *slog.Logger, parse func(contents ...[]byte) (T, error)) (*reloaded[T], error) {
	f := &reloaded[T]{what: what, files: files, parse: parse, log: log, now: time.Now}
	contents, err := f.readAll()
	if err != nil {
		return nil, err
	}
	value, err := parse(contents...)
	if err != nil {
		return nil, err
	}
	f.current.Store(&value)
	f.read = contents
	f.next.Store(f.now().Add(readAgainEvery).UnixNano())
	f.logInvalid(contents)
	return f, nil
}

// logInvalid logs the certificates in the contents of the files that are not valid now.
func (f *reloaded[T]) logInvalid(contents [][]byte) {
	for i, data := range contents {
		logInvalid(f.log, f.what, f.files[i], data)
	}
}

func (f *reloaded[T]) readAll() ([][]byte, error) {
	var contents [][]byte
	for _, file := range f.files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		contents = append(contents, data)
	}
	return contents, nil
}

// get returns what is to be used now. It is shared.
func (f *reloaded[T]) get() T {
	now := f.now()
	if next := f.next.Load(); now.UnixNano() >= next && f.next.CompareAndSwap(next, now.Add(readAgainEvery).UnixNano()) {
		f.lookAgain()
	}
	return *f.current.Load()
}

func (f *reloaded[T]) lookAgain() {
	f.mu.Lock()
	defer f.mu.Unlock()
	contents, err := f.readAll()
	if err == nil {
		if equalContents(contents, f.read) {
			return
		}
		f.read, f.complain = contents, false
		var value T
		if value, err = f.parse(contents...); err == nil {
			f.current.Store(&value)
			f.log.Info("a file was replaced, and is in use", "what", f.what, "files", f.files)
			f.logInvalid(contents)
			return
		}
	}
	if !f.complain {
		f.complain = true
		f.log.Error(fmt.Sprintf("the new %s can't be used; the one of before stays", f.what), "files", f.files, "error", err)
	}
}

func equalContents(a, b [][]byte) bool {
	for i := range a {
		if !bytes.Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}
