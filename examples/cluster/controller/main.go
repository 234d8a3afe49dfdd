// Command controller does for examples/cluster what a cluster's own controllers would. It keeps the
// pods of replication controllers at the wanted number (replication.go) and the targets of
// autoscalers within their limits (autoscaler.go).
//
// It knows nothing of the server but the API: types of k8s.io/api, controller-runtime, and a
// kubeconfig. README.md says how to run it, and what to read in which order.
package main

import (
	"errors"
	"flag"
	"log/slog"
	"os"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

func main() {
	elect := flag.Bool("leader-elect", false, "Act only while holding the lease kube-system/cluster-controller: several can run, and one acts.")
	flag.Parse() // --kubeconfig is a flag of controller-runtime; without it KUBECONFIG counts
	ctrl.SetLogger(logr.FromSlogHandler(slog.NewTextHandler(os.Stderr, nil)))
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		LeaderElection:                *elect,
		LeaderElectionNamespace:       "kube-system",
		LeaderElectionID:              "cluster-controller",
		LeaderElectionReleaseOnCancel: true, // the process ends with Start, so that nothing is done after the lease is given back
		Metrics:                       metricsserver.Options{BindAddress: "0"},
	})
	if err == nil {
		err = errors.Join(addReplication(manager), addAutoscaler(manager))
	}
	if err == nil {
		err = manager.Start(ctrl.SetupSignalHandler())
	}
	if err != nil {
		slog.Error("the controller ends", "error", err)
		os.Exit(1)
	}
}
