package serve

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/internal/buildinfo"
)

// TestBuild: --version, /version and the metrics say the same.
func TestBuild(t *testing.T) {
	build := buildinfo.Read()
	t.Setenv("WIDGETS_SECURE_PRT", "a mistake that --version does not look at")
	if got := output(t, "--version"); got != output(t, "version") || !strings.HasPrefix(got, "widgets "+build.Version+"\n") {
		t.Errorf("--version: %s", got)
	}
	i, client := running(t, nil)
	var version struct{ GitVersion, ProgramVersion, GitCommit, GitTreeState, BuildDate, GoVersion string }
	if err := json.Unmarshal([]byte(getBody(t, client, i.URL()+"/version")), &version); err != nil {
		t.Fatal(err)
	}
	if version.GitVersion != build.Kubernetes+"+typeplane" || version.ProgramVersion != build.Version || version.GoVersion != build.Go {
		t.Errorf("/version: %+v", version)
	}
	metrics := getBody(t, client, i.URL()+"/metrics")
	for _, want := range []string{
		fmt.Sprintf(`kubernetes_build_info{build_date=%q,compiler="gc",git_commit=%q,git_tree_state=%q,git_version=%q,go_version=%q,major="1",minor="37",`, build.Time, build.Revision, build.TreeState(), version.GitVersion, build.Go),
		fmt.Sprintf(`typeplane_build_info{dirty="%t",go_version=%q,module=%q,program="widgets",revision=%q,typeplane_version=%q,version=%q} 1`, build.Dirty, build.Go, build.Module, build.Revision, build.Typeplane, build.Version),
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("no %s in\n%s", want, metrics)
		}
	}
}

// TestAPIVersion: what the commit was is what clients of Kubernetes look for.
func TestAPIVersion(t *testing.T) {
	v := apiVersion(buildinfo.Info{Version: "v0.3.1", Revision: "c0ffee", Time: "2026-01-02T03:04:05Z", Kubernetes: "v1.37.2"})
	if v.GitVersion != "v1.37.2+typeplane" || v.ProgramVersion != "v0.3.1" || v.GitCommit != "c0ffee" || v.GitTreeState != "clean" || v.BuildDate != "2026-01-02T03:04:05Z" {
		t.Errorf("%+v", v)
	}
}
