package faultdisk_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/typeplane/typeplane/internal/faultdisk"
)

// writes names the file that this process shall write to instead of running tests.
const writes = "TYPEPLANE_TEST_WRITES"

func TestMain(m *testing.M) {
	if name := os.Getenv(writes); name != "" {
		write(name)
	}
	os.Exit(m.Run())
}

// write writes a sector that is synced, one over it and one behind it that are not, and dies of the
// next sync.
func write(name string) {
	f, err := os.Create(name)
	steps := []func() error{
		func() error { return err },
		func() error { _, err := f.Write(full('a')); return err },
		func() error { return f.Sync() },
		func() error { _, err := f.WriteAt(full('b'), 0); return err },
		func() error { _, err := f.Seek(sector, 0); return err },
		func() error { _, err := f.Write(full('c')); return err },
		func() error { return f.Sync() },
	}
	for i, step := range steps {
		if err := step(); err != nil {
			var errno syscall.Errno
			errors.As(err, &errno)
			fmt.Printf("step %d: %v", i, errno)
			os.Exit(1)
		}
	}
	fmt.Print("done")
	os.Exit(0)
}

const sector = 512

func full(c byte) []byte { return []byte(strings.Repeat(string(c), sector)) }

// run lets the writer write to a disk, and returns what it said and what is in its file after a
// cut.
func run(t *testing.T, prepare func(*faultdisk.Disk), torn *rand.Rand) (said, content string) {
	t.Helper()
	if err := faultdisk.Supported(); err != nil {
		if runtime.GOOS == "linux" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	dir := t.TempDir()
	disk, err := faultdisk.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	prepare(disk)
	name := filepath.Join(dir, "file")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), writes+"="+name)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if err := disk.Start(cmd); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if err := disk.Cut(torn); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), string(data)
}

func TestCut(t *testing.T) {
	a, b, c := string(full('a')), string(full('b')), string(full('c'))
	if said, content := run(t, func(*faultdisk.Disk) {}, nil); said != "done" || content != b+c {
		t.Errorf("all is synced: it said %q, and %.10q… of %d bytes is there", said, content, len(content))
	}
	killed := func(d *faultdisk.Disk) { d.KillAt(2) }
	if said, content := run(t, killed, nil); said != "" || content != a {
		t.Errorf("killed in the second sync: it said %q, and %.10q… of %d bytes is there", said, content, len(content))
	}
	if said, content := run(t, func(d *faultdisk.Disk) { d.KillAt(1) }, nil); said != "" || content != "" {
		t.Errorf("killed in the first sync: it said %q, and %.10q… of %d bytes is there", said, content, len(content))
	}
	seen := map[string]bool{}
	for seed := range uint64(64) {
		_, content := run(t, killed, rand.New(rand.NewPCG(seed, 0)))
		seen[content] = true
		if len(seen) == 4 {
			break
		}
	}
	for _, want := range []string{a, b, a + c, b + c} {
		if !seen[want] {
			t.Errorf("torn writes never left %.1q…%.1q", want[:1], want[len(want)-1:])
		}
	}
	if len(seen) != 4 {
		t.Errorf("torn writes left %d contents", len(seen))
	}
}

func TestFail(t *testing.T) {
	for want, fault := range map[string]faultdisk.Fault{
		"step 1: input/output error":      faultdisk.NoWrites,
		"step 2: input/output error":      faultdisk.NoSyncs.Of("file"),
		"step 1: read-only file system":   faultdisk.ReadOnly,
		"step 1: no space left on device": faultdisk.Full,
		"done":                            faultdisk.NoSyncs.Of("other"),
	} {
		if said, _ := run(t, func(d *faultdisk.Disk) { d.Fail(fault) }, nil); said != want {
			t.Errorf("%+v: it said %q, want %q", fault, said, want)
		}
	}
}
