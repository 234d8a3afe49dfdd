// Command bench measures our server beside one that is assembled from k8s.io/apiserver: CPU time of
// the server process for each request, and memory, both as the kernel counts them. README.md says
// what is fair about it, and what it has shown.
//
// It builds both servers. In each of its parts (part.go) it starts an etcd, puts the same bytes
// into it for each server, and starts them. Then it does the same work to the one and to the other
// in turn. The client is this process, so its work is not counted.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"syscall"
)

// options are the flags.
type options struct {
	n, rounds int
	short     bool
	profiles  string
	rows      *regexp.Regexp
	parts     []string
	base      string // the commit that the part guard compares with
	keep      bool
}

func main() {
	var o options
	var rows, only string
	flag.IntVar(&o.n, "n", 10_000, "how many pods `there` are, but where their number grows; a multiple of 100")
	flag.IntVar(&o.rounds, "rounds", 3, "how many `times` each row is measured; the median counts")
	flag.BoolVar(&o.short, "short", false, "one round with few requests, pods and watchers: shows that everything works, the figures mean little")
	flag.StringVar(&o.profiles, "profiles", "", "`directory` for a CPU profile of each row and server, taken behind the part called requests")
	flag.StringVar(&rows, "rows", "", "measure only rows whose name matches this `regexp`")
	flag.StringVar(&only, "parts", strings.Join(partNames(false), ","), "comma-separated `names` of what is measured")
	flag.StringVar(&o.base, "base", "", "`commit` whose build the part guard compares with this one")
	flag.BoolVar(&o.keep, "keep", false, "keep the working directory, with the logs of all processes")
	flag.Parse()
	if o.short {
		o.n, o.rounds = 1000, 1
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	err := o.complete(rows, only)
	if err == nil {
		err = run(ctx, o, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (o *options) complete(rows, only string) (err error) {
	if o.rows, err = regexp.Compile(rows); err != nil {
		return fmt.Errorf("-rows: %w", err)
	}
	if flag.NArg() > 0 {
		return fmt.Errorf("%q: there are no arguments, only flags; see -help", flag.Arg(0))
	}
	o.parts = strings.Split(only, ",")
	for _, name := range o.parts {
		if !slices.Contains(partNames(true), name) {
			return fmt.Errorf("-parts: %q is none of %s", name, strings.Join(partNames(true), ", "))
		}
	}
	if o.n < 1000 || o.n%100 != 0 {
		return fmt.Errorf("-n=%d: want a multiple of 100, at least 1000", o.n)
	}
	if o.rounds < 1 {
		return fmt.Errorf("-rounds=%d: want at least one", o.rounds)
	}
	guarded := slices.Contains(o.parts, "guard")
	if guarded != (o.base != "") {
		return errors.New("-base names the commit for the part guard: use both or none")
	}
	if guarded && o.rounds < guardRounds {
		return fmt.Errorf("-rounds=%d: the part guard needs at least %d", o.rounds, guardRounds)
	}
	if o.profiles != "" && !slices.Contains(o.parts, "requests") {
		return errors.New("-profiles: they are taken behind the part called requests, which -parts leaves out")
	}
	return nil
}
