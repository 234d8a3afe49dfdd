package embedded_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/embedded"
)

// victim names the directory that this process shall write to until it is killed. unsynced, if it
// is set too, makes it acknowledge what is not on the disk.
const (
	victim   = "TYPEPLANE_TEST_VICTIM"
	unsynced = "TYPEPLANE_TEST_UNSYNCED"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(victim); dir != "" {
		writeUntilKilled(dir)
	}
	if dir := os.Getenv(sufferer); dir != "" {
		suffer(dir)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// writeUntilKilled prints every key and revision after it was acknowledged.
func writeUntilKilled(dir string) {
	s, err := embedded.Start(ctx, embedded.Config{Dir: dir, NoSync: os.Getenv(unsynced) != ""})
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	fmt.Println("ready 0")
	for i := 0; ; i++ {
		key := fmt.Sprintf("/pods/%d-%d", os.Getpid(), i)
		entry, err := store(s).Create(ctx, key, []byte(strings.Repeat("x", 1000)))
		if err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		fmt.Println(key, entry.Revision)
	}
}

// kill starts a victim on dir, kills it, and returns what it had acknowledged. The kill comes a
// while after the start, or after the first write if it shall be writing (which may be late on a
// busy machine).
func kill(t *testing.T, dir string, writing bool, after time.Duration) map[string]int64 {
	t.Helper()
	return killOn(t, (*exec.Cmd).Start, dir, writing, after)
}

// killOn is kill of a victim that is started by start, with more variables in its environment.
func killOn(t *testing.T, start func(*exec.Cmd) error, dir string, writing bool, after time.Duration, env ...string) map[string]int64 {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), victim+"="+dir), env...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := start(cmd); err != nil {
		t.Fatal(err)
	}
	wait := after
	if writing {
		wait = time.Minute // it is stuck then
	}
	timer := time.AfterFunc(wait, func() { cmd.Process.Kill() })
	acked := map[string]int64{}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		key, rest, _ := strings.Cut(lines.Text(), " ")
		var revision int64
		if _, err := fmt.Sscan(rest, &revision); err != nil {
			t.Errorf("the victim says: %s", lines.Text())
		} else if revision > 0 {
			acked[key] = revision
			if writing && len(acked) == 1 {
				timer.Reset(after)
			}
		}
	}
	_ = cmd.Wait()
	return acked
}

func TestKilledWhileWriting(t *testing.T) {
	dir := t.TempDir()
	acked := map[string]int64{}
	rounds := 5
	if testing.Short() {
		rounds = 1
	}
	for round := range rounds {
		for k, r := range kill(t, dir, true, 20*time.Millisecond+rand.N(100*time.Millisecond)) {
			acked[k] = r
		}
		begin := time.Now()
		s := start(t, embedded.Config{Dir: dir})
		t.Logf("round %d: %d writes acknowledged, ready again after %v", round, len(acked), time.Since(begin))
		for _, text := range missing(t, s, acked) {
			t.Error(text)
		}
		s.Close()
	}
	if len(acked) == 0 {
		t.Error("nothing was ever written")
	}
}

// missing says what of the acknowledged writes is not in the database.
func missing(t *testing.T, s *embedded.Server, acked map[string]int64) (texts []string) {
	t.Helper()
	page, err := store(s).List(ctx, "/pods/", storage.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int64{}
	for _, e := range page.Entries {
		found[e.Key] = e.Revision
	}
	for k, r := range acked {
		if found[k] != r {
			texts = append(texts, fmt.Sprintf("%s was acknowledged at revision %d and is at %d", k, r, found[k]))
		}
		if page.Revision < r {
			texts = append(texts, fmt.Sprintf("the database is at revision %d and was at %d", page.Revision, r))
		}
	}
	return texts
}

func TestKilledWhileStarting(t *testing.T) {
	rounds := 10
	if testing.Short() {
		rounds = 2
	}
	for range rounds {
		dir := t.TempDir()
		kill(t, dir, false, 10*time.Millisecond+rand.N(90*time.Millisecond))
		s := start(t, embedded.Config{Dir: dir})
		if _, err := store(s).Create(ctx, "/after/kill", []byte("x")); err != nil {
			t.Error(err)
		}
		s.Close()
	}
}
