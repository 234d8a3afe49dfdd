package e2e

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/typeplane/typeplane/internal/drill"
)

// TestLittleMemory gives a server 256 MiB, as a container would: it is filled with objects, and
// lists of all of them are asked for by several at once. It is not killed, and fails nobody.
func TestLittleMemory(t *testing.T) {
	const most = 256 << 20
	group, err := memoryGroup(most)
	if err != nil {
		drill.LittleMemory.Skip(err.Error())
		t.Skipf("no server can be given little memory here: %v", err)
	}
	dir := t.TempDir()
	s := startProgram(t, wrapped(t, "echo $$ > "+group+"/cgroup.procs"), dir, ownKinds()...)
	t.Cleanup(func() {
		s.Kill()
		if err := os.Remove(group); err != nil {
			t.Error(err)
		}
	})
	fill(t, s, *objects)
	const readers, lists = 8, 16
	var failed atomic.Int64
	var all sync.WaitGroup
	for range readers {
		all.Go(func() {
			for range lists {
				if err := s.listAll(); err != nil {
					failed.Add(1)
					t.Error(err)
				}
			}
		})
	}
	for n := range 100 {
		s.mustCreate(t, fmt.Sprintf("late-%d", n))
	}
	all.Wait()
	killed := 0
	select {
	case <-s.Ended():
		killed++
		t.Errorf("it has ended: %v\n%s", s.Err(), s.output)
	default:
		if err := s.stop(syscall.SIGTERM); err != nil {
			t.Errorf("ended with %v:\n%s", err, s.output)
		}
	}
	peak := peakOf(t, group)
	t.Logf("%d MiB of %d at most, with %d objects and %d lists", peak>>20, most>>20, *objects, readers*lists)
	drill.LittleMemory.Count("servers killed", killed)
	drill.LittleMemory.Count("failed calls", int(failed.Load()))
	drill.LittleMemory.Count("objects", *objects)
	drill.LittleMemory.Count("lists", readers*lists)
	drill.LittleMemory.Size("at most", peak)
}

// listAll reads a list of all books, and no more of it than its size.
func (s *server) listAll() error {
	resp, err := s.Client.Get(s.URL + books)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}

// memoryGroup makes a control group of either version that may have so many bytes, with what the
// kernel keeps of files, and without swap.
func memoryGroup(most int64) (group string, err error) {
	for home, file := range map[string]string{"/sys/fs/cgroup": "memory.max", "/sys/fs/cgroup/memory": "memory.limit_in_bytes"} {
		group := filepath.Join(home, fmt.Sprint("e2e-", os.Getpid()))
		if made := os.Mkdir(group, 0o700); made != nil {
			err = errors.Join(err, made)
			continue
		}
		// Where the other version is in use, the directory is one like any other, without files.
		f, opened := os.OpenFile(filepath.Join(group, file), os.O_WRONLY, 0)
		if opened == nil {
			_, opened = fmt.Fprint(f, most)
			opened = errors.Join(opened, f.Close())
		}
		if opened == nil {
			return group, nil
		}
		err = errors.Join(err, opened, os.Remove(group))
	}
	return "", err
}

// peakOf is the most that a group ever had, in bytes.
func peakOf(t *testing.T, group string) (peak int64) {
	t.Helper()
	for _, file := range []string{"memory.peak", "memory.max_usage_in_bytes"} {
		if data, err := os.ReadFile(filepath.Join(group, file)); err == nil {
			if _, err := fmt.Sscan(strings.TrimSpace(string(data)), &peak); err != nil {
				t.Fatal(err)
			}
		}
	}
	return peak
}
