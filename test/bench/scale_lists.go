package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/typeplane/typeplane/internal/drill"
)

const (
	// listsAtOnce is how many clients list everything at the same time.
	listsAtOnce = 64
	// listsLimit is what all memory of the server may be meanwhile, in MiB.
	listsLimit = 512
)

// manyLists measures what a list of everything costs in each form, by itself and beside many
// others. It also measures what memory the server takes at most, which must not be more than
// listsLimit.
func manyLists(ctx context.Context, l *lab, out io.Writer) error {
	n := 100_000
	if l.short {
		n = 1000
	}
	dir, err := l.place("lists")
	if err != nil {
		return err
	}
	module, err := l.newThings(ctx, dir)
	if err != nil {
		return err
	}
	if _, err := runIn(ctx, module.dir, module.gen, "add", "version", "v1beta1"); err != nil {
		return err
	}
	if _, err := module.build(ctx, filepath.Join(dir, "scale")); err != nil {
		return err
	}
	b := &bench{options: l.options, dir: dir, bin: dir}
	if err := b.startEtcd(ctx); err != nil {
		return err
	}
	defer b.stop()
	size, err := b.fillThings(ctx, 0, n)
	if err != nil {
		return err
	}
	limited, err := newLimit(filepath.Join(dir, "limited"), filepath.Join(dir, "scale"), listsLimit<<20)
	if err != nil {
		return err
	}
	defer limited.remove()
	s, err := startThings(ctx, filepath.Join(dir, "server"), limited.bin, b.thingFlags()...)
	if err != nil {
		return err
	}
	defer s.stop()
	if _, err := s.get(ctx, thingsPath+"?limit=1&resourceVersion=0", protobuf); err != nil {
		return err
	}
	drill.ListMemory.Count("servers killed", 0)
	g := grid{title: fmt.Sprintf("a list of %d objects", n)}
	for _, form := range []struct{ name, path, accept, coding string }{
		{"protobuf", thingsPath, protobuf, ""},
		{"JSON", thingsPath, asJSON, ""},
		{"JSON, gzipped", thingsPath, asJSON, "gzip"},
		{"as a Table", thingsPath, asTable, ""},
		{"as metadata, JSON", thingsPath, "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", ""},
		{"YAML, two at once", thingsPath, "application/yaml", ""},
		{"another version, JSON", betaThingsPath, asJSON, ""},
		{"another version, protobuf", betaThingsPath, protobuf, ""},
		{"another version, metadata in protobuf", betaThingsPath, "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", ""},
	} {
		if !l.rows.MatchString(form.name) {
			continue
		}
		say("lists: %s", form.name)
		g.column(form.name)
		list := func(ctx context.Context, over *http.Client) (int64, error) {
			return s.discard(ctx, over, form.path, form.accept, form.coding)
		}
		atOnce := b.some(listsAtOnce)
		if form.accept == "application/yaml" {
			atOnce = 2 // it takes seconds of CPU
		}
		if err := g.listsAtOnce(ctx, s, atOnce, list); err != nil {
			g.set("at once", fmt.Sprintf("failed: %v", err))
			select {
			case <-s.exited:
				drill.ListMemory.Count("servers killed", 1)
				return fmt.Errorf("%s: the server has ended: %w", form.name, err)
			default:
			}
		}
	}
	fmt.Fprintf(out, "### Lists of everything, %d at once\n\n%d objects of %d bytes; %s. CPU time of the server for one list.\n\n", listsAtOnce, n, size, limited)
	g.printTurned(out)
	return nil
}

// betaThingsPath has the things in a version that is not stored.
const betaThingsPath = "/apis/scale.example.com/v1beta1/thing0s"

// listsAtOnce measures a list, and then many at once.
func (g *grid) listsAtOnce(ctx context.Context, s *thingServer, n int, list func(context.Context, *http.Client) (int64, error)) error {
	alone, bytes, err := s.costOf(ctx, 2, 1, list)
	if err != nil {
		return err
	}
	g.set("MB", fmt.Sprint(bytes/1e6))
	g.set("alone", show(alone))
	if err := resetPeak(s.pid()); err != nil {
		return err
	}
	begun := time.Now()
	together, _, err := s.costOf(ctx, n, n, list)
	if err != nil {
		return err
	}
	g.set("at once", show(together))
	g.set("until all have it", show(time.Since(begun)))
	mib, err := status(s.pid(), "VmHWM")
	g.set("resident at most, MiB", fmt.Sprint(mib))
	drill.ListMemory.Count("lists", n)
	drill.ListMemory.Size("resident at most", int64(mib)<<20)
	return err
}

// costOf is the CPU time of one of n lists, of which some are under way at once, each on a
// connection of its own.
func (s *thingServer) costOf(ctx context.Context, n, atOnce int, list func(context.Context, *http.Client) (int64, error)) (each time.Duration, bytes int64, err error) {
	before, err := cpu(s.pid())
	if err != nil {
		return 0, 0, err
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	turns := make(chan struct{}, n)
	for range n {
		turns <- struct{}{}
	}
	close(turns)
	for range atOnce {
		wg.Go(func() {
			over := newTransport(s.tls)
			defer over.CloseIdleConnections()
			for range turns {
				got, fault := list(ctx, over)
				mu.Lock()
				bytes = got
				if fault != nil {
					err = fault
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if err != nil {
		return 0, 0, err
	}
	after, err := cpu(s.pid())
	return (after - before) / time.Duration(n), bytes, err
}

// discard reads all of an answer, in the coding that is wanted, and keeps nothing of it.
func (s *thingServer) discard(ctx context.Context, over *http.Client, path, accept, coding string) (int64, error) {
	req, err := http.NewRequestWithContext(ctx, "GET", s.client.base+path, nil)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Accept", accept)
	if coding != "" {
		req.Header.Set("Accept-Encoding", coding)
	}
	resp, err := over.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	if got := resp.Header.Get("Content-Encoding"); resp.StatusCode != http.StatusOK || got != coding {
		return 0, fmt.Errorf("%s: %s, Content-Encoding %q", path, resp.Status, got)
	}
	return io.Copy(io.Discard, resp.Body)
}

// limit is a control group, and a program that runs in it from its start on.
type limit struct {
	group string // its directory; "" if none can be made here
	bin   string // the directory of the program
	most  int64  // bytes
}

func (l *limit) String() string {
	if l.group == "" {
		return "with no limit of memory, as no control group can be made here"
	}
	return fmt.Sprintf("in a control group of %d MiB", l.most>>20)
}

// newLimit makes a control group that may have so many bytes, and in bin a script that runs a
// program in it.
func newLimit(bin, program string, most int64) (*limit, error) {
	l := &limit{bin: filepath.Dir(program), most: most}
	for _, kind := range []struct{ home, file string }{
		{"/sys/fs/cgroup", "memory.max"},
		{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"},
	} {
		group := filepath.Join(kind.home, fmt.Sprint("bench-", os.Getpid()))
		if os.Mkdir(group, 0o700) != nil {
			continue
		}
		// Where the other version is in use, the directory is one like any other, without files.
		file, err := os.OpenFile(filepath.Join(group, kind.file), os.O_WRONLY, 0)
		if err == nil {
			_, err = fmt.Fprint(file, most)
			file.Close()
		}
		if err != nil {
			os.Remove(group)
			continue
		}
		l.group, l.bin = group, bin
		if err := os.MkdirAll(bin, 0o700); err != nil {
			return nil, err
		}
		script := fmt.Sprintf("#!/bin/sh\necho $$ > %s/cgroup.procs && exec %s \"$@\"\n", group, program)
		return l, os.WriteFile(filepath.Join(bin, filepath.Base(program)), []byte(script), 0o700)
	}
	return l, nil
}

// remove takes the group away, which no process may be in any more.
func (l *limit) remove() {
	if l.group != "" {
		os.Remove(l.group)
	}
}

// resetPeak makes VmHWM of a process begin again.
func resetPeak(pid int) error {
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0)
}

// printTurned is print with a line for each column.
func (g *grid) printTurned(w io.Writer) {
	turned := grid{title: g.title, columns: g.lines, lines: g.columns, cells: map[string]map[string]string{}}
	for _, column := range g.columns {
		turned.cells[column] = map[string]string{}
		for _, line := range g.lines {
			turned.cells[column][line] = g.cells[line][column]
		}
	}
	turned.print(w)
}
