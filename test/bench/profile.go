package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// profileSeconds is how long a row is done while a profile of it is taken.
const profileSeconds = 5

// profile takes a CPU profile of each row and server, into dir: NAME.pprof and, as text, NAME.txt
// with the most expensive functions by what they call, and by themselves.
func (b *bench) profile(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, r := range b.wanted(rows()) {
		for _, t := range b.targets {
			if b.cell(r, t.name).skipped != "" || !r.concerns(t) {
				continue
			}
			fmt.Fprintf(os.Stderr, "profile of %s: %s\n", t.name, r.name)
			name := filepath.Join(dir, r.fileName()+"."+t.name)
			if err := b.profileRow(ctx, r, t, name+".pprof"); err != nil {
				return err
			}
			if err := explain(ctx, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// profileRow does a row for as long as the profile takes. What is prepared for it is in the profile
// too.
func (b *bench) profileRow(ctx context.Context, r row, t *target, file string) error {
	do, stop, err := r.begin(ctx, t)
	if err != nil {
		return err
	}
	defer stop()
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	defer out.Close()
	done := make(chan error, 1)
	go func() {
		done <- t.ask(ctx, fmt.Sprintf("/debug/pprof/profile?seconds=%d", profileSeconds), out)
	}()
	count := max(1, b.count(r, t)/10)
	for {
		if r.prepare != nil {
			if err := r.prepare(ctx, t, count); err != nil {
				return err
			}
		}
		if err := r.repeat(ctx, t, do, count); err != nil {
			return err
		}
		select {
		case err := <-done:
			return errors.Join(err, t.clear(ctx))
		default:
		}
	}
}

// explain turns a profile into text.
func explain(ctx context.Context, name string) error {
	out, err := os.Create(name + ".txt")
	if err != nil {
		return err
	}
	defer out.Close()
	for _, order := range []string{"-cum", "-flat"} {
		cmd := exec.CommandContext(ctx, "go", "tool", "pprof", "-top", order, "-nodecount=70", name+".pprof")
		cmd.Stdout, cmd.Stderr = out, os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("go tool pprof: %w", err)
		}
	}
	return nil
}
