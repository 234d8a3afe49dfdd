// Command drills runs what measures each row of the scorecard of docs/reliability.md, and prints
// it: what is promised, what this run measured, and if that is met.
//
//	go run ./hack/drills                    all rows, for hours, and the table goes into the page
//	go run ./hack/drills -short             the same programs in their short form, for minutes
//	go run ./hack/drills -rows 9,10,13      only what measures these rows
//	go run ./hack/drills -from FILE         runs nothing, and prints what tests have noted in FILE
//
// A promise that is not kept is an error of the long form alone: a short one measures on whatever
// the machine does besides.
//
// The rows are in rows.go, what is run for them in runs.go. Tests note figures by internal/drill;
// nothing of the table is written by hand. A row that was not run says so.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/typeplane/typeplane/internal/drill"
)

// page is where the table goes.
const page = "docs/reliability.md"

func main() {
	log.SetFlags(0)
	log.SetPrefix("drills: ")
	short := flag.Bool("short", false, "the short forms, which are minutes; the page is not touched")
	rows := flag.String("rows", "", "only what measures these `rows`, as in 9,10; the other rows of the page keep what they have in -into")
	from := flag.String("from", "", "run nothing, and print what is noted in this `file`")
	write := flag.Bool("write", false, "with -from: put the table into the page, too")
	into := flag.String("into", "", "the `file` that keeps the figures; rows that are run lose those that it has of them (hack/drills/figures.jsonl, with -short bin/drills-short.jsonl)")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("%s is no flag: -h lists them", flag.Arg(0))
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	if err := scorecard(ctx, *short, *rows, *from, *write, *into); err != nil {
		log.Fatal(err)
	}
}

// scorecard runs what it is asked for and prints the table. An error names the rows that are not
// kept, and the programs that failed.
func scorecard(ctx context.Context, short bool, rows, from string, write bool, into string) error {
	if from != "" {
		return show(from, nil, write)
	}
	if write {
		return errors.New("-write goes with -from: a long form writes the page anyway, a short one never")
	}
	if into == "" {
		into = "hack/drills/figures.jsonl"
		if short {
			into = "bin/drills-short.jsonl"
		}
	}
	file, err := filepath.Abs(into)
	if err != nil {
		return err
	}
	wanted, err := rowsCalled(rows)
	if err != nil {
		return err
	}
	failed, err := runAll(ctx, wanted, short, file)
	if err != nil {
		return err
	}
	return errors.Join(show(file, failed, !short), failures(failed))
}

// rowsCalled reads a list of numbers. None means all.
func rowsCalled(list string) (wanted map[drill.Row]bool, err error) {
	if list == "" {
		return nil, nil
	}
	wanted = map[drill.Row]bool{}
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 1 || n > len(promises) {
			return nil, fmt.Errorf("-rows: %q is no number from 1 to %d", text, len(promises))
		}
		wanted[drill.Row(n)] = true
	}
	return wanted, nil
}

// show prints the table of what a file has, and puts it into the page if it shall be kept.
func show(file string, failed []run, keep bool) error {
	figures, err := read(file)
	if err != nil {
		return err
	}
	text, bad := table(figures, failed)
	fmt.Print(text)
	if !keep {
		return nil
	}
	return errors.Join(bad, put(page, text))
}
