// Command etcd-cluster runs an etcd of three members on loopback. It is for demos, and for trying
// what a server does when a member is killed (kill -9) or frozen (kill -STOP). It prints the flags
// that a server needs, and ends with Ctrl-C; its data stays, and is continued by the next run.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/typeplane/typeplane/internal/etcdproc"
)

func main() {
	var o options
	flag.StringVar(&o.dir, "dir", "etcd-cluster-data", "`directory` for data, logs and certificates; made if it is missing")
	flag.StringVar(&o.binary, "etcd", "", "the etcd `program`; without it the one that $ETCD names, or bin/etcd of this repository, which is built if need be")
	flag.IntVar(&o.members, "members", 3, "`how many` members")
	flag.StringVar(&o.ports, "ports", "2379,22379,32379,2380,22380,32380", "the TCP `ports` of 127.0.0.1 for the clients of each member, then those for the other members; 0 takes free ones, and begins with no data")
	flag.BoolVar(&o.tls, "tls", false, "speak TLS with clients, which need a certificate; one for them, and one for the members, is made in the directory")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer cancel()
	if err := o.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "etcd-cluster:", err)
		os.Exit(1)
	}
}

// compared makes the members compare what they hold, before one serves and at each compaction.
var compared = []string{"--feature-gates", "InitialCorruptCheck=true,CompactHashCheck=true"}

type options struct {
	dir, binary, ports string
	members            int
	tls                bool
}

// run runs the cluster until ctx ends.
func (o *options) run(ctx context.Context) (err error) {
	config, err := o.config(ctx)
	if err != nil {
		return err
	}
	cluster, err := etcdproc.Start(ctx, config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cluster.Close()) }()
	for _, m := range cluster.Members() {
		fmt.Fprintf(os.Stderr, "%s: %s, process %d, log %s\n", m.Name(), m.Endpoint(), m.Pid(), m.LogFile())
	}
	fmt.Fprintln(os.Stderr, "Ctrl-C ends them. Give a server:")
	line := "--etcd-servers=" + strings.Join(cluster.Endpoints(), ",")
	if t := config.TLS; t != nil {
		line += " --etcd-cafile=" + t.CAFile + " --etcd-certfile=" + t.CertFile + " --etcd-keyfile=" + t.KeyFile
	}
	fmt.Println(line)
	<-ctx.Done()
	return nil
}

func (o *options) config(ctx context.Context) (etcdproc.Config, error) {
	config := etcdproc.Config{Binary: o.binary, Members: o.members, Args: compared}
	var err error
	if config.Dir, err = filepath.Abs(o.dir); err != nil {
		return config, err
	}
	if config.Binary == "" {
		if config.Binary, err = etcdproc.Build(ctx); err != nil {
			return config, err
		}
	}
	if o.ports != "0" {
		for _, text := range strings.Split(o.ports, ",") {
			port, err := strconv.ParseUint(text, 10, 16)
			if err != nil {
				return config, fmt.Errorf("--ports=%s: want numbers from 1 to 65535, with commas in between, or 0", o.ports)
			}
			config.Ports = append(config.Ports, int(port))
		}
	}
	if o.tls {
		config.TLS, err = certificates(filepath.Join(config.Dir, "pki"))
	}
	return config, err
}
