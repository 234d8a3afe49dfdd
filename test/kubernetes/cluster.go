package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/typeplane/typeplane/internal/testserver"
)

// cluster is a server with Kubernetes' programs around it.
type cluster struct {
	bin, dir string
	others   string // directory of those programs that it has, "" for none
	etcd     string // the URL of one that the server is to use, "" for none beside it
	server   *testserver.Process
	patience time.Duration
	stopped  bool
	// apart says that each program is a user of its own, and not the administrator.
	apart    bool
	signing  bool      // by the controller manager, since the server signs no certificates
	kubelets *kubelets // nil: nobody answers for containers
	profiles *profiles // nil: none are taken
	programs []*exec.Cmd
	ended    chan error // of a program that ends before it is stopped
	waiting  sync.WaitGroup
}

// program is one of Kubernetes', with the flags that it is run with.
type program struct {
	name  string
	flags []string
}

// programs are what makes a cluster of an API server. %s is the kubeconfig, %k the
// directory with the key of tokens, %b that of the programs.
var programs = []program{
	{"kube-controller-manager", []string{
		"--kubeconfig=%s", "--service-account-private-key-file=%k/service-accounts.key", "--root-ca-file=%k/ca.crt",
		"--secure-port=0", "--use-service-account-credentials",
	}},
	{"kube-scheduler", []string{"--kubeconfig=%s", "--secure-port=0"}},
	{"kwok", []string{"--kubeconfig=%s", "--config=%b/kwok.yaml", "--manage-all-nodes=true", "--node-lease-duration-seconds=40"}},
}

// leftToOthers are the loops that the controller manager has, too.
const leftToOthers = "namespace-controller,serviceaccount-controller,root-ca-certificate-publisher-controller,resourcequota-controller,clusterrole-aggregation-controller,certificatesigningrequest-cleaner-controller"

// server starts an API server for a cluster, and returns when it is ready. What it says goes to
// log.
type server func(ctx context.Context, c *cluster, log *os.File) (*testserver.Process, error)

// start starts a server, and the programs around it. They are stopped by stop.
func (c *cluster) start(ctx context.Context, serve server, programs ...program) error {
	var err error
	if c.bin, err = filepath.Abs(c.bin); err != nil {
		return err
	}
	log, err := os.Create(c.log("server"))
	if err != nil {
		return err
	}
	defer log.Close()
	ready, cancel := context.WithTimeout(ctx, c.patience)
	defer cancel()
	if c.server, err = serve(ready, c, log); err != nil {
		return err
	}
	c.ended = make(chan error, len(programs))
	if c.apart {
		if err := c.introduce(ctx); err != nil {
			c.stop()
			return err
		}
	}
	for _, p := range programs {
		if err := c.startProgram(ctx, p); err != nil {
			c.stop()
			return err
		}
	}
	return nil
}

// ours is examples/kubernetes.
func ours(ctx context.Context, c *cluster, log *os.File) (*testserver.Process, error) {
	cmd := exec.Command(filepath.Join(c.bin, "kubernetes"), "--data-dir", c.data(), "--secure-port", "0",
		"--garbage-collector", "beside", "--disable-controllers", leftToOthers, "--authorization-mode", "RBAC")
	if c.etcd != "" {
		cmd.Args = append(cmd.Args, "--etcd-servers", c.etcd)
	}
	if c.apart {
		if err := c.writeTokens(); err != nil {
			return nil, err
		}
		cmd.Args = append(cmd.Args, "--token-auth-file", c.tokens())
	}
	if c.profiles != nil {
		cmd.Env = append(os.Environ(), "DEBUG_SOCKET="+c.debugSocket())
	}
	cmd.Stderr = log
	return testserver.Start(ctx, cmd)
}

func (c *cluster) data() string           { return filepath.Join(c.dir, "data") }
func (c *cluster) debugSocket() string    { return filepath.Join(c.dir, "debug.sock") }
func (c *cluster) log(name string) string { return filepath.Join(c.dir, name+".log") }

// path is the file of one of Kubernetes' programs.
func (c *cluster) path(program string) string {
	if name := filepath.Join(c.others, program); c.others != "" {
		if _, err := os.Stat(name); err == nil {
			return name
		}
	}
	return filepath.Join(c.bin, program)
}

func (c *cluster) startProgram(ctx context.Context, p program) error {
	kubeconfig, err := c.kubeconfig(ctx, p.name)
	if err != nil {
		return err
	}
	log, err := os.Create(c.log(p.name))
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(c.path(p.name))
	if p.name == "kwok" && c.kubelets != nil {
		cmd.Args = append(cmd.Args, c.kubelets.flags(c)...)
	}
	if p.name == "kube-controller-manager" && c.signing {
		p.flags = append(slices.Clone(p.flags), "--cluster-signing-cert-file=%k/ca.crt", "--cluster-signing-key-file=%k/ca.key")
	}
	for _, f := range p.flags {
		cmd.Args = append(cmd.Args, strings.NewReplacer("%s", kubeconfig, "%k", filepath.Join(c.data(), "pki"), "%b", c.bin).Replace(f))
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s: %w: make kubernetes builds it", p.name, err)
	}
	c.programs = append(c.programs, cmd)
	c.waiting.Go(func() {
		if err := cmd.Wait(); err != nil {
			c.ended <- fmt.Errorf("%s has ended: %w, see %s", p.name, err, c.log(p.name))
		}
	})
	return nil
}

// stop ends the programs, and then the server, and waits for that.
func (c *cluster) stop() {
	if c.stopped {
		return
	}
	c.stopped = true
	for _, cmd := range c.programs {
		cmd.Process.Signal(syscall.SIGTERM)
	}
	c.waiting.Wait()
	c.server.Cmd.Process.Signal(syscall.SIGTERM)
	<-c.server.Ended()
	if c.kubelets != nil {
		c.kubelets.behind.Close()
	}
}

// costs are rows of a table: what each program has taken.
func (c *cluster) costs() string {
	var b strings.Builder
	for _, cmd := range append([]*exec.Cmd{c.server.Cmd}, c.programs...) {
		state := cmd.ProcessState
		usage, _ := state.SysUsage().(*syscall.Rusage)
		fmt.Fprintf(&b, "| %s | %.1f s | %d MiB |\n", filepath.Base(cmd.Path), (state.UserTime() + state.SystemTime()).Seconds(), usage.Maxrss>>10)
	}
	return b.String()
}

// step is something that a user does, and what comes of it.
type step struct {
	name string
	// apply is sent first, if it is not "".
	apply string
	// run are commands of kubectl, one after the other.
	run []string
	// refused is sent until it is refused: whoever refuses has to see first why.
	refused string
	// do is what no command of kubectl does; nil for nothing.
	do func(context.Context, *cluster) error
	// until is a command of kubectl whose output comes to be want.
	until, want string
}

// do does a step.
func (c *cluster) do(ctx context.Context, s step) error {
	ctx, cancel := context.WithTimeout(ctx, c.patience)
	defer cancel()
	if s.apply != "" {
		if _, err := c.kubectl(ctx, s.apply, "create -f -"); err != nil {
			return err
		}
	}
	for _, args := range s.run {
		if _, err := c.kubectl(ctx, "", args); err != nil {
			return err
		}
	}
	if s.do != nil {
		if err := s.do(ctx, c); err != nil {
			return err
		}
	}
	for s.refused != "" {
		if _, err := c.kubectl(ctx, s.refused, "create -f -"); err != nil {
			if ctx.Err() != nil {
				return fmt.Errorf("it is not refused: %w", err)
			}
			break
		}
		if _, err := c.kubectl(ctx, s.refused, "delete --grace-period=0 --force -f -"); err != nil {
			return err
		}
	}
	if s.until == "" {
		return nil
	}
	for {
		out, err := c.kubectl(ctx, "", s.until)
		if err == nil && strings.TrimSpace(out) == s.want {
			return nil
		}
		select {
		case err := <-c.ended:
			return err
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("kubectl %s says %q, want %q", s.until, out, s.want), err)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func (c *cluster) kubectlCommand(ctx context.Context, args string) *exec.Cmd {
	return exec.CommandContext(ctx, c.path("kubectl"), append([]string{"--kubeconfig", c.server.Kubeconfig}, strings.Fields(args)...)...)
}

// kubectl runs a command, and returns what it prints.
func (c *cluster) kubectl(ctx context.Context, in, args string) (string, error) {
	cmd := c.kubectlCommand(ctx, args)
	cmd.Stdin = strings.NewReader(in)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("kubectl %s: %w: %s", args, err, &said)
	}
	return out.String(), nil
}
