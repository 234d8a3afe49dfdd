// Command peer is the server that the transcripts of test/kubectl are compared with: the kinds of
// examples/library or examples/cluster on k8s.io/apiserver, put together as sample-apiserver does.
//
// It links what users of Typeplane write and what is generated from it (types, defaults,
// conversions, schemas, tags' validation), and nothing of our server. So k8s.io/apiserver alone
// decides what an answer looks like. Rules that the examples have in code are written down a second
// time here, as strategies of apiserver's. What lives in k8s.io/kubernetes (the RBAC authorizer,
// the review kinds, the columns of pods) is not there; test/kubectl lists what differs for that
// reason. Start reading at kind (kind.go); library.go and cluster.go say which kinds there are.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/typeplane/typeplane/storage/embedded"
)

func main() {
	like := flag.String("like", "", "the `example` whose kinds are served: library or cluster")
	dir := flag.String("data-dir", "", "`directory` of etcd, of the serving certificate, and of the kubeconfig")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *like, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, like, dir string) error {
	groups, ok := map[string]func() world{"library": library, "cluster": cluster}[like]
	if !ok {
		return fmt.Errorf("-like %q: want library or cluster", like)
	}
	etcd, err := embedded.Start(ctx, embedded.Config{Dir: filepath.Join(dir, "etcd")})
	if err != nil {
		return err
	}
	defer etcd.Close()
	server, client, err := newServer(groups(), "unix://"+etcd.Socket(), dir)
	if err != nil {
		return err
	}
	file := filepath.Join(dir, "kubeconfig")
	if err := clientcmd.WriteToFile(client, file); err != nil {
		return err
	}
	if err := server.AddPostStartHook("say-ready", func(genericapiserver.PostStartHookContext) error {
		fmt.Printf("export KUBECONFIG=%s\n", file)
		return nil
	}); err != nil {
		return err
	}
	return server.PrepareRun().RunWithContext(ctx)
}

// kubeconfig lets its user in by a token.
func kubeconfig(address, name, token string, ca []byte) clientcmdapi.Config {
	config := clientcmdapi.NewConfig()
	config.Clusters["peer"] = &clientcmdapi.Cluster{Server: "https://" + address, TLSServerName: name, CertificateAuthorityData: ca}
	config.AuthInfos["peer"] = &clientcmdapi.AuthInfo{Token: token}
	config.Contexts["peer"] = &clientcmdapi.Context{Cluster: "peer", AuthInfo: "peer"}
	config.CurrentContext = "peer"
	return *config
}
