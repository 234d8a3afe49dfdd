package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// documentsPrefix is where a server that has pods without protobuf finds them in etcd.
const documentsPrefix = "/documents"

// documents measures what it costs that a kind has no protobuf. Two of our servers do in turn what
// clients do that speak JSON. One has pods, the other the same pods as documents.
func documents(ctx context.Context, l *lab, out io.Writer) error {
	b, err := l.seeded(ctx, "documents", 0)
	if err != nil {
		return err
	}
	defer b.stop()
	b.n, b.speaks = l.n, asJSON
	message, err := b.seeder.seed(ctx, b.n, "/ours")
	if err != nil {
		return err
	}
	document, err := b.seeder.seed(ctx, b.n, documentsPrefix)
	if err != nil {
		return err
	}
	for _, s := range []struct {
		name, prefix string
		flags        []string
	}{{"document", documentsPrefix, []string{"--documents"}}, {"message", "/ours", nil}} {
		dir := filepath.Join(b.dir, s.name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		t, err := b.startOne(ctx, nameOurs, dir, s.prefix, s.flags...)
		if err != nil {
			return err
		}
		t.name = s.name
		b.targets = append(b.targets, t)
	}
	if err := b.remember(moment{name: "started, all pods listed once"}); err != nil {
		return err
	}
	inJSON := slices.DeleteFunc(rows(), func(r row) bool { return r.alone || strings.HasSuffix(r.name, "protobuf") })
	if err := b.measure(ctx, inJSON); err != nil {
		return err
	}
	fmt.Fprintf(out, "### A kind without protobuf\n\n%d pods, of %d bytes as documents and of %d as messages; CPU time of the server for one unit of work of clients that speak JSON, the median of %d rounds (from the least to the most).\n\n",
		b.n, document, message, b.rounds)
	fmt.Fprint(out, "| work | document | message | more |\n|---|---|---|---|\n")
	for _, r := range b.wanted(inJSON) {
		mine, other := b.cell(r, b.targets[0].name), b.cell(r, b.targets[1].name)
		fmt.Fprintf(out, "| %s | %s | %s | %s |\n", r.name, mine, other, more(mine, other))
	}
	fmt.Fprint(out, "\n| resident memory, MiB | document | message | times |\n|---|---|---|---|\n")
	for _, m := range b.memory {
		fmt.Fprintf(out, "| %s | %d | %d | %.2f |\n", m.name, m.mib[0], m.mib[1], float64(m.mib[0])/float64(m.mib[1]))
	}
	_, err = fmt.Fprintln(out)
	return err
}
