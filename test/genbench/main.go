// Command genbench runs gen beside the generators of Kubernetes, from their released modules, on
// k8s.io/api and k8s.io/sample-apiserver. It measures what the kernel says of all processes of a
// run: time on the clock, CPU time and the largest resident set. What a run prints, and gen's own
// cache, are deleted before it. README.md says what is fair about it, and what it has shown.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
)

func main() {
	rounds := flag.Int("n", 7, "how many `times` each run is measured, ours and theirs in turn; the median counts")
	short := flag.Bool("short", false, "one round, and without k8s.io/api: shows that everything works, the figures mean little")
	keep := flag.Bool("keep", false, "keep the working directory")
	flag.Parse()
	if *short {
		*rounds = 1
	}
	if err := run(*rounds, *short, *keep, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "genbench:", err)
		os.Exit(1)
	}
}

func run(rounds int, short, keep bool, out io.Writer) error {
	dir, err := os.MkdirTemp("", "genbench")
	if err != nil {
		return err
	}
	if keep {
		fmt.Fprintln(out, "working in", dir)
	} else {
		defer os.RemoveAll(dir)
	}
	place, err := prepare(dir)
	if err != nil {
		return err
	}
	load, _ := os.ReadFile("/proc/loadavg")
	fmt.Fprintf(out, "%d processors, %s, load before the first run %.4s, median of %d\n\n", runtime.NumCPU(), runtime.Version(), load, rounds)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "what\twho\twall s\tCPU s\tRSS MB\tours is")
	for _, r := range rows(place) {
		if short && r.long {
			continue
		}
		if err := r.measure(place, rounds, table); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
	}
	return table.Flush()
}

// row is one thing to do, by gen and by its peers.
type row struct {
	name         string
	long         bool
	dir          string    // the module
	outputs      []string  // base names of what is deleted before each run
	idle         bool      // done twice, and only the second time counts: what a run costs that has nothing to do
	ours, theirs []command // no theirs: nobody prints as much
}

func (r row) measure(p place, rounds int, table io.Writer) error {
	var ours, theirs []usage
	for range rounds {
		for _, side := range []struct {
			commands []command
			to       *[]usage
		}{{r.ours, &ours}, {r.theirs, &theirs}} {
			if side.commands == nil {
				continue
			}
			u, err := r.once(p, side.commands)
			if err != nil {
				return err
			}
			*side.to = append(*side.to, u)
		}
	}
	a := median(ours)
	if theirs == nil {
		fmt.Fprintf(table, "%s\tgen\t%.2f\t%.2f\t%d\t\n", r.name, a.wall, a.cpu, a.rss>>20)
		return nil
	}
	b := median(theirs)
	fmt.Fprintf(table, "%s\tgen\t%.2f\t%.2f\t%d\t%.1f× faster, %.1f× less CPU\n", r.name, a.wall, a.cpu, a.rss>>20, b.wall/a.wall, b.cpu/a.cpu)
	fmt.Fprintf(table, "\t%s\t%.2f\t%.2f\t%d\t\n", names(r.theirs), b.wall, b.cpu, b.rss>>20)
	return nil
}

// once does the row one time for one side, and sees that something came of it.
func (r row) once(p place, commands []command) (usage, error) {
	if err := remove(r.dir, r.outputs); err != nil {
		return usage{}, err
	}
	if err := os.RemoveAll(p.cache); err != nil {
		return usage{}, err
	}
	u, err := r.all(p, commands)
	if err == nil && r.idle {
		return r.all(p, commands)
	}
	return u, err
}

// all runs the commands of one side one after the other.
func (r row) all(p place, commands []command) (usage, error) {
	var total usage
	for _, c := range commands {
		u, err := c.run(p)
		if err != nil {
			return usage{}, err
		}
		total = total.and(u)
	}
	found, err := find(r.dir, r.outputs)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%s printed nothing", names(commands))
	}
	return total, err
}

func names(commands []command) string {
	var out []string
	for _, c := range commands {
		out = append(out, filepath.Base(c.program))
	}
	return strings.Join(slices.Compact(out), " + ")
}

// find returns the files below a folder that have one of these base names.
func find(dir string, base []string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(dir, func(name string, entry os.DirEntry, err error) error {
		if err == nil && slices.Contains(base, entry.Name()) {
			out = append(out, name)
		}
		return err
	})
	return out, err
}

func remove(dir string, base []string) error {
	found, err := find(dir, base)
	for _, name := range found {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	return err
}
