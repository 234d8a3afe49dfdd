// Command controllers runs controllers of Kubernetes against a server, and looks at what they bring
// about.
//
// They are those of k8s.io/kubernetes, put together as kube-controller-manager does (run.go). Each
// check does what a person would do, and waits for what has to happen then (check_*.go). What is
// printed is read by the program in the folder above: a line for each check, and how many there
// were.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	kubeconfig := flag.String("kubeconfig", os.Getenv("KUBECONFIG"), "`file` that says where the server is")
	flag.Parse()
	if err := run(context.Background(), *kubeconfig); err != nil {
		fmt.Fprintln(os.Stderr, "controllers:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS = -1
	person, err := kubernetes.NewForConfig(rest.AddUserAgent(config, "person"))
	if err != nil {
		return err
	}
	if err := takeControl(ctx, person); err != nil {
		return err
	}
	seen := &traffic{}
	if err := startControllers(ctx, controllersConfig(config, seen)); err != nil {
		return err
	}
	w := &world{client: person}
	var checks []check
	for _, area := range [][]check{replicationChecks(w), accountChecks(w, config), collectionChecks(w), quotaChecks(w), autoscalingChecks(w), protectionChecks(w), namespaceChecks(w), wireChecks(seen)} {
		checks = append(checks, area...)
	}
	fmt.Println("version", version())
	for _, c := range checks {
		report(ctx, c)
	}
	fmt.Printf("1..%d\n", len(checks))
	return nil
}

// version is that of the module in which the controllers are.
func version() string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == "k8s.io/kubernetes" {
			return module.Version
		}
	}
	return "unknown"
}

// controllersConfig is that of the controllers: protobuf, without a bound on requests, and a name
// that shows in managedFields.
func controllersConfig(config *rest.Config, seen *traffic) *rest.Config {
	config = rest.CopyConfig(config)
	config.UserAgent = manager
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	config.Wrap(seen.wrap)
	return config
}

// manager is what the server calls the controllers in managedFields.
const manager = "kube-controllers"

// patience is how long something may take on a machine that does much else.
const patience = time.Minute
