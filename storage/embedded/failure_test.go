package embedded_test

import (
	"bufio"
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/faultdisk"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/embedded"
)

// sufferer names the directory that this process shall write to, and then report.
const sufferer = "TYPEPLANE_TEST_SUFFERER"

// suffer writes and reads, and prints how each ends, until the server says that it is over.
func suffer(dir string) {
	s, err := embedded.Start(ctx, embedded.Config{Dir: dir, Log: slog.New(slog.NewTextHandler(os.Stderr, nil))})
	if err != nil {
		fmt.Println("start", err)
		return
	}
	defer s.Close()
	for i := 0; ; i++ {
		key := fmt.Sprintf("/pods/%d", i)
		entry, err := store(s).Create(ctx, key, []byte(strings.Repeat("x", 10000)))
		fmt.Println("write", key, entry.Revision, outcome(err))
		_, err = store(s).Get(ctx, "/pods/0", storage.GetOptions{})
		fmt.Println("read", "/pods/0", 0, outcome(err))
		select {
		case <-s.Done():
			fmt.Println("over - 0", s.Err())
			return
		case <-time.After(time.Millisecond):
		}
	}
}

func outcome(err error) string {
	if err != nil {
		return storage.CodeOf(err).String()
	}
	return "ok"
}

// patient is a sufferer, seen from outside.
type patient struct {
	t     *testing.T
	cmd   *exec.Cmd
	log   bytes.Buffer
	lines *bufio.Scanner
	acked map[string]int64
	said  []string // what happened, in order, each once
}

func admit(t *testing.T, disk *faultdisk.Disk, dir string) *patient {
	t.Helper()
	p := &patient{t: t, cmd: exec.Command(os.Args[0]), acked: map[string]int64{}}
	p.cmd.Env = append(os.Environ(), sufferer+"="+dir)
	p.cmd.Stderr = &p.log
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := disk.Start(p.cmd); err != nil {
		t.Fatal(err)
	}
	limit := time.AfterFunc(time.Minute, func() { p.cmd.Process.Kill() })
	t.Cleanup(func() { limit.Stop() })
	p.lines = bufio.NewScanner(out)
	return p
}

// until reads what the sufferer says until that has been said, and then so often.
func (p *patient) until(what string, times int) {
	p.t.Helper()
	for p.lines.Scan() {
		var verb, key string
		var revision int64
		if _, err := fmt.Sscan(p.lines.Text(), &verb, &key, &revision); err != nil {
			p.t.Fatalf("it says: %s", p.lines.Text())
		}
		parts := strings.SplitN(p.lines.Text(), " ", 4)
		now := verb + " " + parts[3]
		if now == "write ok" {
			p.acked[key] = revision
		}
		if !slices.Contains(p.said, now) {
			p.said = append(p.said, now)
		}
		if now == what {
			if times--; times == 0 {
				return
			}
		}
	}
	p.t.Fatalf("it never said %q, but %q; its log:\n%s", what, p.said, p.log.String())
}

// end kills the sufferer, and returns its log.
func (p *patient) end() string {
	p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	return p.log.String()
}

// A disk that fails takes nobody's answers away, nor the process. Writes are refused, and what is
// in memory can be read as long as that can be known to be the newest. One line of the log says
// what to do. What was acknowledged is there after a start.
func TestFailingDisk(t *testing.T) {
	const over = "over the disk was full and has room again: the server ends, and works when it is started again"
	for _, tc := range []struct {
		name    string
		fault   faultdisk.Fault
		refused string // what happens to writes
		reads   bool   // those that want the newest state go on
		line    string // of the log
	}{
		{"full", faultdisk.Full, "no space left", false, "the disk of the storage is full"},
		{"database can't be synced", faultdisk.NoSyncs.Of("/db"), "storage failed", false, "the disk of the storage has failed"},
		{"log can't be written", faultdisk.NoWrites.Of("/wal/"), "storage failed", true, "the disk of the storage has failed"},
		{"log can't be synced", faultdisk.NoSyncs.Of("/wal/"), "storage failed", true, "the disk of the storage has failed"},
		{"read-only", faultdisk.ReadOnly.Of("/wal/"), "storage failed", true, "the disk of the storage has become read-only"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			disk := faulty(t, dir)
			p := admit(t, disk, dir)
			p.until("read ok", 20)
			disk.Fail(tc.fault)
			if tc.fault == faultdisk.Full {
				p.until(over, 1) // the system says that there is room
			} else {
				p.until("write "+tc.refused, 20)
			}
			if tc.reads {
				p.until("read ok", 100) // longer than until the next commit of the database
			}
			t.Logf("%q", p.said)
			for _, said := range p.said {
				if want := []string{"write ok", "read ok", "write " + tc.refused, "write outcome unknown", "read storage failed", over}; !slices.Contains(want, said) {
					t.Errorf("it said %q", said)
				}
			}
			log := p.end()
			if n := strings.Count(log, "level=ERROR"); n != 1 || !strings.Contains(log, tc.line) || strings.Contains(log, "goroutine") {
				t.Errorf("the log has %d errors, want one of %q:\n%s", n, tc.line, log)
			}
			disk.Fail(faultdisk.NotFaulty)
			if err := disk.Cut(nil); err != nil {
				t.Fatal(err)
			}
			s := start(t, embedded.Config{Dir: dir})
			for _, text := range missing(t, s, p.acked) {
				t.Error(text)
			}
		})
	}
}

// A start on a disk that fails says what to do, and leaves a directory with which a later one
// succeeds.
func TestStartOnFailingDisk(t *testing.T) {
	for fault, cure := range map[*faultdisk.Fault]string{&faultdisk.Full: "make room", &faultdisk.NoSyncs: "mend the disk", &faultdisk.ReadOnly: "make it writable"} {
		t.Run(cure, func(t *testing.T) {
			dir := t.TempDir()
			disk := faulty(t, dir)
			disk.Fail(*fault)
			p := admit(t, disk, dir)
			if !p.lines.Scan() || !strings.HasPrefix(p.lines.Text(), "start ") || !strings.Contains(p.lines.Text(), dir) || !strings.Contains(p.lines.Text(), cure) {
				t.Errorf("it says %q", p.lines.Text())
			}
			t.Log(p.lines.Text())
			if log := p.end(); strings.Contains(log, "goroutine") {
				t.Error(log)
			}
			start(t, embedded.Config{Dir: dir})
		})
	}
}
