package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// runLines runs a program that prints what its checks found, and reads that. What it says beside is
// shown if it failed.
func runLines(ctx context.Context, kubeconfig string, command ...string) (version string, results []result, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, failed := cmd.Output()
	version, results, err = parseLines(out)
	if failed != nil {
		return version, results, fmt.Errorf("%s: %w\n%s", command[0], failed, tail(said.Bytes()))
	}
	return version, results, err
}

// parseLines reads "version V", "ok CHECK" and "not ok CHECK # ANSWER", and at the end "1..N": who
// printed less than it announces has ended too early.
func parseLines(out []byte) (version string, results []result, err error) {
	announced := -1
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		line := lines.Text()
		if v, ok := strings.CutPrefix(line, "version "); ok {
			version = v
		} else if check, ok := strings.CutPrefix(line, "ok "); ok {
			results = append(results, result{check: check, holds: true})
		} else if failure, ok := strings.CutPrefix(line, "not ok "); ok {
			check, said, _ := strings.Cut(failure, " # ")
			results = append(results, result{check: check, said: said})
		} else if _, err := fmt.Sscanf(line, "1..%d", &announced); err != nil {
			return version, results, fmt.Errorf("what is this line: %q", line)
		}
	}
	if announced != len(results) {
		return version, results, fmt.Errorf("it announced %d checks, and printed %d", announced, len(results))
	}
	return version, results, nil
}

// tail is the end of what a program said.
func tail(said []byte) []byte {
	const enough = 4000
	return said[max(0, len(said)-enough):]
}
