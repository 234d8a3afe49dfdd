package serve

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/typeplane/typeplane/internal/buildinfo"
	"github.com/typeplane/typeplane/internal/server"
	"github.com/typeplane/typeplane/internal/server/metrics"
)

// apiVersion is what /version says. Its GitVersion is not the program's own: clients such as Helm
// look there for a release of Kubernetes.
func apiVersion(build buildinfo.Info) server.Version {
	return server.Version{
		GitVersion: build.Kubernetes + "+typeplane", ProgramVersion: build.Version,
		GitCommit: build.Revision, GitTreeState: build.TreeState(), BuildDate: build.Time,
	}
}

// registerBuild has a metric say what the program was built of. The server adds the one that
// Kubernetes has.
func registerBuild(registry prometheus.Registerer, program string, build buildinfo.Info) {
	metrics.RegisterInfo(registry, "typeplane_build_info", "What the program was built of.", map[string]string{
		"program": program, "module": build.Module, "version": build.Version, "revision": build.Revision, "dirty": strconv.FormatBool(build.Dirty),
		"typeplane_version": build.Typeplane, "go_version": build.Go,
	})
}
