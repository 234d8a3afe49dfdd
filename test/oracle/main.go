package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/typeplane/typeplane/internal/etcdproc"
)

func main() {
	length := flag.Duration("for", 5*time.Minute, "how long to go on with runs, each with a seed of its own")
	load := flag.Duration("load", 12*time.Second, "how long clients write in one run")
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano()), "`seed` of the first run; the next ones count on")
	only := flag.String("shape", "", "the only `shape` of the world; one of "+strings.Join(shapeNames(), ", "))
	race := flag.Bool("race", false, "build the servers with the race detector")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	var flags []string
	if *race {
		flags = append(flags, "-race")
	}
	if err := run(ctx, *only, *length, *load, *seed, flags...); err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.Exit(1)
	}
}

// shape is what the worlds of some runs have in common.
type shape struct {
	name   string
	config Config
}

// shapes are the worlds that runs take turns in. Tests use the first three.
var shapes = []shape{
	{"embedded etcd", Config{Servers: 1, Faults: embeddedFaults}},
	{"two servers", Config{Servers: 2, Members: 1, Faults: allFaults}},
	{"replicas", Config{Servers: 3, Members: 1, Faults: replicaFaults, Replicas: true}},
	{"one server", Config{Servers: 1, Members: 1, Faults: allFaults}},
	{"two servers, three members", Config{Servers: 2, Members: 3, Faults: allFaults}},
	{"two servers without caches", Config{Servers: 2, Members: 1, Faults: allFaults, Args: []string{"--watch-cache=false"}}},
	{"two servers, no faults but compaction", Config{Servers: 2, Members: 1, Faults: []Fault{Compaction}, Args: []string{"--storage-media-type=application/json"}}},
}

func shapeNames() (names []string) {
	for _, s := range shapes {
		names = append(names, fmt.Sprintf("%q", s.name))
	}
	return names
}

// shapesCalled are those that runs take turns in: all, or the one with a name.
func shapesCalled(name string) ([]shape, error) {
	if name == "" {
		return shapes, nil
	}
	for _, s := range shapes {
		if s.name == name {
			return []shape{s}, nil
		}
	}
	return nil, fmt.Errorf("no shape is called %q: choose of %s", name, strings.Join(shapeNames(), ", "))
}

// run makes runs for some time, of servers that are built with flags, and reports what they
// exposed.
func run(ctx context.Context, only string, length, load time.Duration, seed uint64, flags ...string) error {
	shapes, err := shapesCalled(only)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "oracle-programs")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	library, etcd, err := programs(ctx, dir, flags...)
	if err != nil {
		return err
	}
	var total Exposed
	var bad error
	for end, i := time.Now().Add(length), 0; time.Now().Before(end) && ctx.Err() == nil; i++ {
		shape := shapes[i%len(shapes)]
		config := shape.config
		config.Seed, config.Load, config.Library, config.Etcd = seed+uint64(i), load, library, etcd
		history, exposed, err := Run(ctx, config)
		if err == nil {
			broken := Check(history)
			total.Add(exposed)
			exposed.note(broken)
			err = keep(config, history, broken)
		}
		fmt.Printf("%s, seed %d: %d operations, %d events, %d revisions, settled after %v: %v\n", shape.name, config.Seed, exposed.Count["operations"],
			exposed.Count["events"], exposed.Count["revisions"], exposed.Settled.Round(time.Millisecond), verdict(err))
		if err != nil && ctx.Err() == nil {
			bad = errors.Join(bad, err)
		}
	}
	fmt.Print(total)
	return bad
}

func verdict(err error) string {
	if err != nil {
		return err.Error()
	}
	return "all promises kept"
}

// keep keeps a history with violations in a file, and makes an error of them.
func keep(config Config, h *History, found []Violation) error {
	if len(found) == 0 {
		return nil
	}
	file := filepath.Join(os.TempDir(), fmt.Sprintf("oracle-%d.json", config.Seed))
	data, err := json.Marshal(h)
	if err == nil {
		err = os.WriteFile(file, data, 0o600)
	}
	err = errors.Join(err, fmt.Errorf("seed %d broke promises; the history is in %s", config.Seed, file))
	for _, v := range found {
		err = errors.Join(err, errors.New(v.String()))
	}
	return err
}

// programs builds our server into dir, with what testdata/library adds to it, and etcd where it
// always is.
func programs(ctx context.Context, dir string, flags ...string) (library, etcd string, err error) {
	if etcd, err = etcdproc.Build(ctx); err != nil {
		return "", "", err
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		return "", "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	ours, theirs := filepath.Join(root, "test/oracle/testdata/library/main.go"), filepath.Join(root, "examples/library/main.go")
	if err := os.WriteFile(overlay, mustJSON(map[string]any{"Replace": map[string]string{theirs: ours}}), 0o600); err != nil {
		return "", "", err
	}
	library = filepath.Join(dir, "library")
	cmd := exec.CommandContext(ctx, "go", append(append([]string{"build"}, flags...), "-overlay", overlay, "-o", library, "./examples/library")...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return library, etcd, nil
}
