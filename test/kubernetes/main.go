// Command kubernetes runs Kubernetes' own programs against examples/kubernetes: kube-scheduler,
// kube-controller-manager, KWOK for kubelets, and kubectl.
//
// It starts them as processes, asks for workloads as users do, and waits for their states. Then it
// reads the logs of the programs and the audit log of the server: an error or a refusal that is not
// in expected.go fails the run. Start reading at steps.
//
// With -beside it runs a workload on a kube-apiserver and on examples/kubernetes, by turns, and
// prints what each took: start reading at beside. With -profiles, too, it takes profiles of
// examples/kubernetes alone. TestAggregator puts examples/library behind a kube-apiserver.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

func main() {
	bin := flag.String("bin", "../../bin", "`directory` of the programs, as make kubernetes builds them")
	others := flag.String("programs", "", "`directory` of kube-scheduler, kube-controller-manager and kubectl, if not that of the others: those of another release")
	nodes := flag.Int("nodes", 10, "how many simulated nodes there are")
	pods := flag.Int("pods", 60, "how many pods the deployment has")
	keep := flag.String("keep", "", "`directory` for data and logs, which stay there; without it they are removed")
	twice := flag.Bool("beside", false, "measure a workload on kube-apiserver and on examples/kubernetes, instead of the steps")
	deployments := flag.Int("deployments", 10, "how many deployments the pods of -beside are in")
	heartbeats := flag.Duration("heartbeats", time.Minute, "how long -beside does nothing but wait")
	profiled := flag.String("profiles", "", "`directory` for profiles of each state of -beside, which then runs on examples/kubernetes alone")
	tests := flag.String("e2e", "", "run those of Kubernetes' own tests that a `regexp` matches on both servers, instead of the steps")
	page := flag.String("page", "", "`file` that gets the tables of -beside and -e2e")
	patience := flag.Duration("patience", 5*time.Minute, "how long a state may take to come")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	do := func(dir string) error { return run(ctx, *bin, *others, dir, *nodes, *pods, *patience) }
	if *twice {
		w := workload{nodes: *nodes, pods: *pods, deployments: *deployments, heartbeats: *heartbeats}
		do = func(dir string) error { return beside(ctx, *bin, dir, *page, w, *patience) }
		if *profiled != "" {
			do = func(dir string) error {
				return profile(ctx, &cluster{bin: *bin, dir: dir, patience: *patience}, *profiled, w)
			}
		}
	}
	if *tests != "" {
		do = func(dir string) error { return e2e(ctx, *bin, dir, *page, *tests, *patience) }
	}
	if err := in(*keep, do); err != nil {
		fmt.Fprintln(os.Stderr, "kubernetes:", err)
		os.Exit(1)
	}
}

// in does something in a directory, "" for one that is removed then.
func in(dir string, do func(dir string) error) error {
	if dir != "" {
		return do(dir)
	}
	made, err := os.MkdirTemp("", "kubernetes")
	if err != nil {
		return err
	}
	defer os.RemoveAll(made)
	return do(made)
}

func run(ctx context.Context, bin, others, dir string, nodes, pods int, patience time.Duration) error {
	c := &cluster{bin: bin, others: others, dir: dir, patience: patience, apart: true}
	if err := c.start(ctx, ours, programs...); err != nil {
		return err
	}
	defer c.stop()
	if others != "" {
		fmt.Printf("%s: ", filepath.Base(others))
	}
	fmt.Printf("%s, %d cores, %d nodes, a deployment of %d pods\n\n| step | took | |\n|---|---|---|\n", time.Now().Format(time.DateOnly), runtime.NumCPU(), nodes, pods)
	var failed []error
	differences, err := c.roles(ctx)
	failed = append(failed, err)
	for _, d := range differences {
		failed = append(failed, errors.New("role: "+d))
	}
	for _, s := range steps(nodes, pods) {
		begun := time.Now()
		err := c.do(ctx, s)
		word := "ok"
		if err != nil {
			word = "FAILED"
			failed = append(failed, fmt.Errorf("%s: %w", s.name, err))
		}
		fmt.Printf("| %s | %.1f s | %s |\n", s.name, time.Since(begun).Seconds(), word)
		if ctx.Err() != nil {
			break
		}
	}
	c.stop()
	fmt.Printf("\n| program | CPU | most memory |\n|---|---|---|\n%s", c.costs())
	refused, err := c.refused()
	failed = append(failed, err)
	for _, r := range refused {
		failed = append(failed, errors.New(r))
	}
	return errors.Join(append(failed, c.complaints()...)...)
}
