package server

import (
	"fmt"
	"regexp"
	"runtime"
	"strconv"
)

// Version is what /version answers. Its fields are those of Kubernetes, because clients compare
// them. They compare GitVersion with their own version, and with what a Helm chart wants. So it
// should be the Kubernetes version that the server is compatible with, like v1.37.0.
type Version struct {
	Major string `json:"major"`
	Minor string `json:"minor"`
	// EmulationMajor and EmulationMinor are the version whose behaviour the server shows. "": that
	// of GitVersion.
	EmulationMajor string `json:"emulationMajor,omitempty"`
	EmulationMinor string `json:"emulationMinor,omitempty"`
	// MinCompatibilityMajor and MinCompatibilityMinor are the oldest version that the server gets
	// on with. "": the minor version before, as in Kubernetes.
	MinCompatibilityMajor string `json:"minCompatibilityMajor,omitempty"`
	MinCompatibilityMinor string `json:"minCompatibilityMinor,omitempty"`

	GitVersion string `json:"gitVersion"`
	// ProgramVersion is that of the server's own program. Kubernetes has no such field.
	ProgramVersion string `json:"programVersion,omitempty"`
	// GitCommit is what the program was built of, GitTreeState "clean" or "dirty", and BuildDate
	// when that was committed.
	GitCommit    string `json:"gitCommit"`
	GitTreeState string `json:"gitTreeState"`
	BuildDate    string `json:"buildDate"`
	GoVersion    string `json:"goVersion"`
	Compiler     string `json:"compiler"`
	Platform     string `json:"platform"`
}

var semanticVersion = regexp.MustCompile(`^v(\d+)\.(\d+)\.\d+([-+].*)?$`)

// complete fills in what follows from GitVersion and from the running program.
func (v *Version) complete() error {
	parts := semanticVersion.FindStringSubmatch(v.GitVersion)
	if parts == nil {
		return fmt.Errorf("server: Config.Version.GitVersion: %q is not a version like v1.37.0", v.GitVersion)
	}
	setDefault(&v.Major, parts[1])
	setDefault(&v.Minor, parts[2])
	setDefault(&v.EmulationMajor, v.Major)
	setDefault(&v.EmulationMinor, v.Minor)
	setDefault(&v.MinCompatibilityMajor, v.EmulationMajor)
	setDefault(&v.MinCompatibilityMinor, minorBefore(v.EmulationMinor))
	setDefault(&v.GoVersion, runtime.Version())
	setDefault(&v.Compiler, runtime.Compiler)
	setDefault(&v.Platform, runtime.GOOS+"/"+runtime.GOARCH)
	return nil
}

// labels are those of kubernetes_build_info.
func (v *Version) labels() map[string]string {
	return map[string]string{
		"major": v.Major, "minor": v.Minor, "git_version": v.GitVersion, "git_commit": v.GitCommit, "git_tree_state": v.GitTreeState,
		"build_date": v.BuildDate, "go_version": v.GoVersion, "compiler": v.Compiler, "platform": v.Platform,
	}
}

// minorBefore is the minor version before one; the first, and one that is no number, come after
// themselves.
func minorBefore(minor string) string {
	n, err := strconv.Atoi(minor)
	if err != nil || n == 0 {
		return minor
	}
	return strconv.Itoa(n - 1)
}
