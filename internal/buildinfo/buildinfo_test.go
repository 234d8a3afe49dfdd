package buildinfo

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestOf(t *testing.T) {
	for name, tc := range map[string]struct {
		build string
		want  Info
		state string
	}{
		"a release": {
			"path\texample.com/shop\nmod\texample.com/shop\tv0.3.1\th1:x=\ndep\tgithub.com/typeplane/typeplane\tv0.9.0\th1:y=\n",
			Info{Module: "example.com/shop", Version: "v0.3.1", Typeplane: "v0.9.0"}, "",
		},
		"a checkout": {
			"path\texample.com/shop\nmod\texample.com/shop\tv0.3.2-0.20260102030405-c0ffeec0ffee+dirty\n" +
				"dep\tgithub.com/typeplane/typeplane\tv0.9.0\n=>\t../typeplane\t(devel)\t\n" +
				"build\tvcs=git\nbuild\tvcs.revision=c0ffee\nbuild\tvcs.time=2026-01-02T03:04:05Z\nbuild\tvcs.modified=true\n",
			Info{Module: "example.com/shop", Version: "v0.3.2-0.20260102030405-c0ffeec0ffee+dirty", Typeplane: "(devel)", Revision: "c0ffee", Time: "2026-01-02T03:04:05Z", Dirty: true}, "dirty",
		},
		"one of ours": {
			"path\tgithub.com/typeplane/typeplane/examples/library\nmod\tgithub.com/typeplane/typeplane\tv0.9.0\n" +
				"build\tvcs.revision=c0ffee\nbuild\tvcs.modified=false\n",
			Info{Module: Module, Version: "v0.9.0", Typeplane: "v0.9.0", Revision: "c0ffee"}, "clean",
		},
		"of another tool": {"", Info{Version: "(devel)", Typeplane: "(devel)"}, ""},
	} {
		build, err := debug.ParseBuildInfo(tc.build)
		if err != nil {
			t.Fatal(err)
		}
		tc.want.Kubernetes, tc.want.Go, tc.want.Platform = Kubernetes, runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH
		if got := of(build); got != tc.want || got.TreeState() != tc.state {
			t.Errorf("%s: %+v, %q, want %+v, %q", name, got, got.TreeState(), tc.want, tc.state)
		}
	}
}
