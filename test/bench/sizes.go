package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// sizes says how large the programs are that a user would ship.
func sizes(_ context.Context, l *lab, out io.Writer) error {
	fmt.Fprint(out, "### Programs\n\nLinked with `-s -w`; 1 MB is 1,000,000 bytes. Ours have an etcd in them, the peer has none.\n\n| program | MB | at most |\n|---|---|---|\n")
	for _, p := range []struct {
		name, file string
		most       int
	}{
		{"examples/library", "library", 45},
		{"examples/cluster", "cluster", 55},
		{"ours, as measured here", "ours", 0},
		{"k8s.io/apiserver, as measured here", "peer", 0},
	} {
		info, err := os.Stat(filepath.Join(l.bin, p.file))
		if err != nil {
			return err
		}
		most := "–"
		if p.most > 0 {
			most = fmt.Sprint(p.most)
		}
		fmt.Fprintf(out, "| %s | %.1f | %s |\n", p.name, float64(info.Size())/1e6, most)
	}
	fmt.Fprintln(out)
	return nil
}
