// Package recovery keeps a panic in a background loop from ending the process. The panic becomes an
// error, with its stack in the log and a metric.
//
// Start reading at Object. A loop that works on objects of a user calls it for each object, so that
// it continues without one that panics. Loop is the second line: it starts a loop again.
package recovery

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/typeplane/typeplane/internal/wait"
)

// counts are the panics of each loop.
var counts = struct {
	sync.Mutex
	of map[string]int
}{of: map[string]int{}}

// Panics returns how many panics each loop of the process has had.
func Panics() map[string]int {
	counts.Lock()
	defer counts.Unlock()
	return maps.Clone(counts.of)
}

func count(loop string) {
	counts.Lock()
	defer counts.Unlock()
	counts.of[loop]++
}

// Fault is called before the work on each object. Tests store a function that panics for some.
var Fault atomic.Pointer[func(loop, object string)]

// Object does the work of a loop on one of its objects, and returns a panic as an error. loop is
// the value of a label of the metric, so there must be few. A nil log is slog.Default().
func Object(log *slog.Logger, loop, object string, work func()) error {
	return Call(log, loop, object, func() error {
		work()
		return nil
	})
}

// Call is Object for work that can fail in the ordinary way.
func Call(log *slog.Logger, loop, object string, work func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the server panicked: %v", p)
			report(log, loop, object, p)
		}
	}()
	if fault := Fault.Load(); fault != nil {
		(*fault)(loop, object)
	}
	return work()
}

// report counts and logs a panic. The log may be the part that panicked, so it may panic here too.
func report(log *slog.Logger, loop, object string, p any) {
	count(loop)
	defer func() { _ = recover() }()
	if log == nil {
		log = slog.Default()
	}
	log.Error("a loop of the server panicked", "loop", loop, "object", object, "panic", p, "stack", string(debug.Stack()))
}

// The pauses before a loop starts again: each twice as long as the one before.
const (
	firstPause = 100 * time.Millisecond
	lastPause  = time.Minute
)

// Loop runs a loop until it returns. After a panic it starts again, unless ctx has ended. name is
// the loop of Object.
func Loop(ctx context.Context, log *slog.Logger, name string, loop func(context.Context)) {
	for pause := firstPause; ctx.Err() == nil; pause = min(2*pause, lastPause) {
		if Object(log, name, "", func() { loop(ctx) }) == nil {
			return
		}
		_ = wait.Sleep(ctx, pause)
	}
}

// NameOf returns the name of the package that a function is in, as a name of its loop.
func NameOf(loop any) string {
	f := runtime.FuncForPC(reflect.ValueOf(loop).Pointer())
	if f == nil {
		return "unknown"
	}
	name, _, _ := strings.Cut(f.Name()[strings.LastIndexByte(f.Name(), '/')+1:], ".")
	return name
}
