package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// moreKinds measures what kinds cost that nobody has objects of: in gen, the compiler, the program
// and a server that idles.
func moreKinds(ctx context.Context, l *lab, out io.Writer) error {
	sizes := []int{10, 100, 500}
	if l.short {
		sizes = []int{2, 10}
	}
	dir, err := l.place("kinds")
	if err != nil {
		return err
	}
	module, err := l.newThings(ctx, dir)
	if err != nil {
		return err
	}
	// What all modules have in common is compiled once.
	if _, err := module.build(ctx, filepath.Join(dir, "scale")); err != nil {
		return err
	}
	g := grid{title: "kinds"}
	for _, n := range sizes {
		say("%d kinds", n)
		g.column(fmt.Sprint(n))
		if err := module.grow(n); err != nil {
			return err
		}
		if err := g.makeKinds(ctx, module, dir); err != nil {
			return err
		}
		if err := g.serveKinds(ctx, dir, n); err != nil {
			return err
		}
	}
	fmt.Fprint(out, "### More kinds\n\nKinds as gen init writes them, without the kinds of a team; an embedded etcd with nothing in it. CPU times.\n\n")
	g.print(out)
	return nil
}

// makeKinds measures gen and the compiler.
func (g *grid) makeKinds(ctx context.Context, module *things, dir string) error {
	all, err := module.generate(ctx)
	if err != nil {
		return err
	}
	nothing, err := module.generate(ctx)
	if err != nil {
		return err
	}
	file := filepath.Join(dir, "scale")
	compiled, err := module.build(ctx, file)
	if err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	g.set("gen, all of it new", show(all))
	g.set("gen, nothing to do", show(nothing))
	g.set("go build, dependencies compiled", show(compiled))
	g.set("program, MB", fmt.Sprintf("%.1f", float64(info.Size())/1e6))
	return nil
}

// serveKinds measures a server that has n kinds.
func (g *grid) serveKinds(ctx context.Context, dir string, n int) error {
	const idle = 10 * time.Second
	s, err := startThings(ctx, filepath.Join(dir, fmt.Sprintf("server-%d", n)), dir)
	if err != nil {
		return err
	}
	defer s.stop()
	spent, err := cpu(s.pid())
	if err != nil {
		return err
	}
	g.set("ready after", show(s.ready))
	g.set("CPU until then", show(spent))
	sleep(ctx, idle) // what is done behind a start
	if err := g.idle(ctx, s, idle); err != nil {
		return err
	}
	for _, document := range []struct{ name, path, accept string }{
		{"discovery", "/apis", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"},
		{"OpenAPI of the group", "/openapi/v3/apis/scale.example.com/v1alpha1", asJSON},
	} {
		before, err := cpu(s.pid())
		if err != nil {
			return err
		}
		body, err := s.get(ctx, document.path, document.accept)
		if err != nil {
			return err
		}
		after, err := cpu(s.pid())
		if err != nil {
			return err
		}
		g.set(document.name+", KB", fmt.Sprint(len(body)/1000))
		g.set(document.name+", the first time", show(after-before))
	}
	return g.useKinds(ctx, s, n)
}

func (g *grid) idle(ctx context.Context, s *thingServer, d time.Duration) error {
	before, err := cpu(s.pid())
	if err != nil {
		return err
	}
	sleep(ctx, d)
	after, err := cpu(s.pid())
	if err != nil {
		return err
	}
	mib, err := resident(s.pid())
	g.set("CPU of ten idle seconds", show(after-before))
	g.set("resident, idle, MiB", fmt.Sprint(mib))
	return err
}

// useKinds watches every kind, as a controller of everything does, and writes one object of each.
func (g *grid) useKinds(ctx context.Context, s *thingServer, n int) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for kind := range n {
		resp, err := s.client.open(ctx, s.client.transports[kind%connections], request{
			method: "GET", path: fmt.Sprintf("/apis/scale.example.com/v1alpha1/thing%ds?watch=1&timeoutSeconds=600", kind), accept: protobufWatch,
		})
		if err != nil {
			return err
		}
		go func() {
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}()
	}
	mib, err := resident(s.pid())
	if err != nil {
		return err
	}
	g.set("resident, all kinds watched, MiB", fmt.Sprint(mib))
	perCreate, err := s.each(ctx, 1000, func(ctx context.Context, i int) error {
		return s.create(ctx, i%n, "default", fmt.Sprint("thing-", i), "")
	})
	g.set("a create, one of each kind in turn", show(perCreate))
	return err
}

// sleep waits, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
