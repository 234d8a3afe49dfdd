// Command bench measures our server beside one that is assembled from k8s.io/apiserver: CPU time of the server process for each
// request, and memory, both as the kernel counts them. README.md says what is fair about it, and what it has shown.
//
// It builds and starts one etcd and both servers, puts the same bytes into etcd for each, and does the rows of rows.go
// by turns to the one and to the other. The client is this process, so its work is not counted.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
)

// options are the flags.
type options struct {
	n, rounds int
	short     bool
	profiles  string
	rows      *regexp.Regexp
	keep      bool
}

func main() {
	var o options
	var only string
	flag.IntVar(&o.n, "n", 10_000, "how many pods `there` are; a multiple of 100")
	flag.IntVar(&o.rounds, "rounds", 3, "how many `times` each row is measured; the median counts")
	flag.BoolVar(&o.short, "short", false, "one round with few requests and 1,000 pods: shows that everything works, the figures mean little")
	flag.StringVar(&o.profiles, "profiles", "", "`directory` for a CPU profile of each row and server, taken after the rounds")
	flag.StringVar(&only, "rows", "", "measure only rows whose name matches this `regexp`")
	flag.BoolVar(&o.keep, "keep", false, "keep the working directory, with the logs of all processes")
	flag.Parse()
	if o.short {
		o.n, o.rounds = 1000, 1
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	err := o.complete(only)
	if err == nil {
		err = run(ctx, o, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (o *options) complete(only string) (err error) {
	if o.rows, err = regexp.Compile(only); err != nil {
		return fmt.Errorf("-rows: %w", err)
	}
	if flag.NArg() > 0 {
		return fmt.Errorf("%q: there are no arguments, only flags; see -help", flag.Arg(0))
	}
	least := 2000
	if o.short {
		least = 1000
	}
	if o.n < least || o.n%100 != 0 {
		return fmt.Errorf("-n=%d: want a multiple of 100, at least %d", o.n, least)
	}
	if o.rounds < 1 {
		return fmt.Errorf("-rounds=%d: want at least one", o.rounds)
	}
	return nil
}

func run(ctx context.Context, o options, out io.Writer) error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	if o.keep {
		fmt.Fprintln(os.Stderr, "working directory:", dir)
	} else {
		defer os.RemoveAll(dir)
	}
	fmt.Fprintln(os.Stderr, "building")
	if err := build(ctx, filepath.Join(dir, "bin")); err != nil {
		return err
	}
	b := &bench{options: o, cells: map[string]map[string]*cell{}}
	defer b.stop()
	if err := b.start(ctx, dir); err != nil {
		return err
	}
	if err := b.measure(ctx); err != nil {
		return err
	}
	b.print(out)
	if o.profiles != "" {
		return b.profile(ctx, o.profiles)
	}
	return nil
}

// start brings up etcd with n pods for each server, and both servers.
func (b *bench) start(ctx context.Context, dir string) error {
	bin := filepath.Join(dir, "bin")
	port, err := freePort()
	if err != nil {
		return err
	}
	address := "127.0.0.1:" + strconv.Itoa(port)
	if b.etcd, err = start(dir, bin, "etcd", false, "--dir", filepath.Join(dir, "etcd"), "--listen", address); err != nil {
		return err
	}
	endpoint := "http://" + address
	seeder, err := newSeeder(endpoint)
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "filling etcd")
	if b.stored, err = seeder.seed(ctx, b.n, "/ours", "/peer"); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "starting the servers")
	for _, open := range []func(context.Context, string, string, string) (*target, error){startOurs, startPeer} {
		t, err := open(ctx, dir, bin, endpoint)
		if err != nil {
			return err
		}
		t.n, t.seeder = b.n, seeder
		b.targets = append(b.targets, t)
		// The peer answers 429 while its cache fills.
		if err := t.until(ctx, t.load); err != nil {
			return err
		}
	}
	return nil
}
