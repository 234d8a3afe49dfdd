package faultclock_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/faultclock"
)

// tells makes this process say the time for each line that it reads, instead of running tests.
const tells = "TYPEPLANE_TEST_TELLS"

func TestMain(m *testing.M) {
	if os.Getenv(tells) == "" {
		os.Exit(m.Run())
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		fmt.Println(time.Now().Format(time.RFC3339Nano))
	}
}

func TestClock(t *testing.T) {
	if err := faultclock.Supported(); err != nil {
		t.Skip(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := faultclock.Prepare(self, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), tells+"=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var clock faultclock.Clock
	if err := clock.Start(cmd); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReader(out)
	for _, offset := range []time.Duration{0, time.Hour, -400 * 24 * time.Hour, 0} {
		clock.Set(offset)
		fmt.Fprintln(in)
		line, err := answers.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		told, err := time.Parse(time.RFC3339Nano, strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		if wrong := time.Until(told) - offset; wrong.Abs() > time.Minute {
			t.Errorf("off by %v it says %v, which is wrong by %v", offset, told, wrong)
		}
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if asked, err := clock.Asked(); err != nil || asked < 4 {
		t.Errorf("it was asked %d times: %v", asked, err)
	}
}
