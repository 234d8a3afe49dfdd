package main

import (
	"bytes"
	"fmt"
	"strings"
)

const preface = `<!-- Printed by make conformance. Don't edit. -->
# Clients that others wrote

Typeplane promises that a client takes the server for the real thing. ` + "`make conformance`" + ` looks whether that is so, with
clients that we did not write. Each is given a fresh [examples/cluster](../examples/cluster), asks it what programs of its
kind ask, and says check by check what became of it. The checks are written for a cluster of Kubernetes. What is known to
differ from one is listed, with its reason. Anything else that fails, fails the run. So does a difference that is none any
more. The programs are in [test/conformance](../test/conformance).

It needs Go, git, make, node 20 or newer with npm, and Debian's python3-kubernetes, which it installs where it may. A client
can be left out: ` + "`make conformance CONFORMANCE='-update -without=client-node'`" + ` prints that it was not run.

kubectl and client-go have tests of their own: ` + "`make kubectl-scripts`, `make kubectl-peer` and `make clients`" + `.

`

// printPage says which clients were run, and what held.
func printPage(trials []trial) []byte {
	var b bytes.Buffer
	b.WriteString(preface)
	b.WriteString("| client | version | checks | hold | known to differ | fail |\n|---|---|---|---|---|---|\n")
	for _, t := range trials {
		b.WriteString(row(t))
	}
	for _, t := range trials {
		printTrial(&b, t)
	}
	return b.Bytes()
}

func row(t trial) string {
	name := fmt.Sprintf("[%s](#%s)", t.client.name, t.client.name)
	if t.leftOut {
		return fmt.Sprintf("| %s | | **not run** | | | |\n", name)
	}
	differ := 0
	for _, r := range t.results {
		if !r.holds && find(differences, t.client.name, r.check) != nil {
			differ++
		}
	}
	checks := fmt.Sprint(len(t.results))
	if t.err != nil {
		checks = "**not run to the end**"
	}
	return fmt.Sprintf("| %s | %s | %s | %d | %d | %d |\n", name, t.version, checks, t.held(), differ, len(t.results)-t.held()-differ)
}

func printTrial(b *bytes.Buffer, t trial) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n", t.client.name, t.client.about)
	switch {
	case t.leftOut:
		b.WriteString("**It was left out of this run.**\n")
		return
	case t.err != nil:
		b.WriteString("**It was not run to its end.**\n\n")
	}
	for _, a := range areas(t.results) {
		fmt.Fprintf(b, "- **%s**\n  - %s\n", a.name, strings.Join(a.checks, "\n  - "))
	}
	printDifferences(b, t)
}

// area is what stands before the colon in the names of checks.
type area struct {
	name   string
	checks []string
}

// areas sorts checks by area, in the order in which these come.
func areas(results []result) []area {
	var list []area
	at := map[string]int{}
	for _, r := range results {
		name, what, _ := strings.Cut(r.check, ": ")
		i, there := at[name]
		if !there {
			i = len(list)
			at[name] = i
			list = append(list, area{name: name})
		}
		if !r.holds {
			what = "~~" + what + "~~"
		}
		list[i].checks = append(list[i].checks, what)
	}
	return list
}

func printDifferences(b *bytes.Buffer, t trial) {
	var lines []string
	for _, r := range t.results {
		if r.holds {
			continue
		}
		reason := "**fails**, and nobody says why it may"
		if d := find(differences, t.client.name, r.check); d != nil {
			reason = d.reason
		}
		lines = append(lines, fmt.Sprintf("| %s | %s |\n", r.check, reason))
	}
	if len(lines) > 0 {
		b.WriteString("\n| what does not hold | why |\n|---|---|\n" + strings.Join(lines, ""))
	}
}
