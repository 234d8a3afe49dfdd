// Command conformance runs clients that others wrote against examples/cluster, and prints
// docs/clients.md.
//
// Each client is given a fresh server, asks it what programs of its kind ask, and tells check by
// check what became of that. What is known to differ from a cluster is in differences.go, with its
// reason; anything else that fails, and a difference that no longer is one, fails the run. It
// builds what is in Go itself; the clients in other languages need what is written beside them.
// Start reading at clients.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/google/go-cmp/cmp"
)

// page is where what was found is printed, beside the root of the repository.
const page = "../../docs/clients.md"

// patience is how long a client may take, building left out.
const patience = 20 * time.Minute

func main() {
	update := flag.Bool("update", false, "write "+page+" instead of comparing with it")
	without := flag.String("without", "", "comma-separated `clients` to leave out, which the page then says were not run: "+strings.Join(names(clients()), ", "))
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *update, split(*without)); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, update bool, without []string) error {
	if err := known(without); err != nil {
		return err
	}
	w, err := openWorkshop(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	var trials []trial
	for _, c := range clients() {
		trials = append(trials, try(ctx, w, c, slices.Contains(without, c.name)))
	}
	return errors.Join(problems(trials), publish(printPage(trials), update))
}

// try runs one client, and shows what it says as far as it was not expected.
func try(ctx context.Context, w *workshop, c client, leftOut bool) trial {
	t := trial{client: c, leftOut: leftOut}
	if leftOut {
		return t
	}
	fmt.Fprintf(os.Stderr, "%s: builds, and runs\n", c.name)
	begun := time.Now()
	t.version, t.results, t.err = c.run(ctx, w)
	t.judge(differences)
	fmt.Fprintf(os.Stderr, "%s: %d checks in %v, %d surprises\n", c.name, len(t.results), time.Since(begun).Round(time.Second), len(t.surprises))
	return t
}

// problems are all surprises, and the clients that could not be run.
func problems(trials []trial) error {
	var errs []error
	for _, t := range trials {
		if t.err != nil {
			errs = append(errs, fmt.Errorf("%s was NOT RUN to its end: %w", t.client.name, t.err))
		}
		for _, s := range t.surprises {
			errs = append(errs, fmt.Errorf("%s: %s", t.client.name, s))
		}
	}
	return errors.Join(errs...)
}

// publish writes the page, or says how it differs from what is there.
func publish(want []byte, update bool) error {
	if update {
		return os.WriteFile(page, want, 0o644)
	}
	got, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("%s is not what this run would print, -update writes it (-there +now):\n%s", page, cmp.Diff(string(got), string(want)))
	}
	return nil
}

func known(without []string) error {
	for _, name := range without {
		if all := names(clients()); !slices.Contains(all, name) {
			return fmt.Errorf("-without=%s: there are %s", name, strings.Join(all, ", "))
		}
	}
	return nil
}

func split(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}
