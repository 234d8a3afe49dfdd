// Command etcd is the one external etcd that both servers use, as a process of its own on loopback TCP. It has etcd's own
// defaults, with fsync.
package main

import (
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"go.etcd.io/etcd/server/v3/embed"
)

func main() {
	dir := flag.String("dir", "", "data `directory`")
	address := flag.String("listen", "", "`host:port` for clients")
	flag.Parse()
	if err := run(*dir, *address); err != nil {
		fmt.Fprintln(os.Stderr, "etcd:", err)
		os.Exit(1)
	}
}

func run(dir, address string) error {
	c := embed.NewConfig()
	c.Dir = dir
	c.LogLevel = "error"
	c.QuotaBackendBytes = 8 << 30
	c.ListenPeerUrls = nil // one member has nobody to talk to
	client := url.URL{Scheme: "http", Host: address}
	c.ListenClientUrls, c.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
	c.InitialCluster = c.InitialClusterFromName(c.Name)
	etcd, err := embed.StartEtcd(c)
	if err != nil {
		return err
	}
	defer etcd.Close()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	select {
	case <-signals:
		return nil
	case err := <-etcd.Err():
		return err
	}
}
