package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	deepcopyFile   = "zz_generated.deepcopy.go"
	defaultsFile   = "zz_generated.defaults.go"
	conversionFile = "zz_generated.conversion.go"
	openapiFile    = "zz_generated.openapi.go"
	protobufFile   = "generated.pb.go"
	registerFile   = "zz_generated.register.go"
	lifecycleFile  = "zz_generated.prerelease-lifecycle.go"
)

// rows is what is measured.
func rows(p place) []row {
	protobuf := []command{p.peer("deepcopy-gen", p.api, deepcopyFile, "./..."), p.goToProtobuf()}
	helpers := p.helpers()
	return []row{
		{
			name: "sample-apiserver: deepcopy, defaults, conversion, OpenAPI", dir: p.sample,
			outputs: []string{deepcopyFile, defaultsFile, conversionFile, openapiFile},
			ours:    []command{p.gen(p.sample, "--generators=deepcopy,defaulter,conversion,openapi", "./pkg/apis/...")},
			theirs:  helpers,
		},
		{
			name: "the same, nothing to do", dir: p.sample, idle: true,
			outputs: []string{deepcopyFile, defaultsFile, conversionFile, openapiFile},
			ours:    []command{p.gen(p.sample, "--generators=deepcopy,defaulter,conversion,openapi", "./pkg/apis/...")},
			theirs:  helpers,
		},
		{
			name: "sample-apiserver: all that gen has, and as many of theirs as above", dir: p.sample,
			outputs: []string{deepcopyFile, defaultsFile, conversionFile, openapiFile},
			ours:    []command{p.gen(p.sample, "./pkg/apis/...")},
			theirs:  helpers,
		},
		{
			name: "sample-apiserver: registration", dir: p.unregistered,
			outputs: []string{registerFile},
			ours:    []command{p.gen(p.unregistered, "--generators=register", "./pkg/apis/...")},
			theirs:  []command{p.peer("register-gen", p.unregistered, registerFile, versions...)},
		},
		{
			name: "sample-apiserver: lifecycle of versions", dir: p.sample,
			outputs: []string{lifecycleFile},
			ours:    []command{p.gen(p.sample, "--generators=prerelease-lifecycle", "./pkg/apis/...")},
			theirs:  []command{p.peer("prerelease-lifecycle-gen", p.sample, lifecycleFile, versions...)},
		},
		{
			name: "k8s.io/api: lifecycle of versions", long: true, dir: p.api,
			outputs: []string{lifecycleFile},
			ours:    []command{p.gen(p.api, "--generators=prerelease-lifecycle", "./...")},
			theirs:  []command{p.peer("prerelease-lifecycle-gen", p.api, lifecycleFile, "./...")},
		},
		{
			name: "k8s.io/api: deepcopy, protobuf", long: true, dir: p.api,
			outputs: []string{deepcopyFile, protobufFile},
			ours:    []command{p.gen(p.api, "--inline-runtime", "--generators=deepcopy,protobuf", "./...")},
			theirs:  protobuf,
		},
		{
			name: "k8s.io/api: deepcopy", long: true, dir: p.api,
			outputs: []string{deepcopyFile},
			ours:    []command{p.gen(p.api, "--generators=deepcopy", "./...")},
			theirs:  protobuf[:1],
		},
		{
			name: "the same, nothing to do", long: true, dir: p.api, idle: true,
			outputs: []string{deepcopyFile},
			ours:    []command{p.gen(p.api, "--generators=deepcopy", "./...")},
			theirs:  protobuf[:1],
		},
		{
			name: "k8s.io/api: all that gen has", long: true, dir: p.api,
			outputs: []string{deepcopyFile, protobufFile, openapiFile, lifecycleFile},
			ours:    []command{p.gen(p.api, "--inline-runtime", "./...")},
		},
		{
			name: "the same, nothing to do", long: true, dir: p.api, idle: true,
			outputs: []string{deepcopyFile, protobufFile, openapiFile, lifecycleFile},
			ours:    []command{p.gen(p.api, "--inline-runtime", "./...")},
		},
	}
}

func (p place) gen(dir string, args ...string) command {
	args = append([]string{"--go-header-file", p.header, "--unknown-tags=warn"}, args...)
	return command{program: filepath.Join(p.bin, "gen"), dir: dir, args: args}
}

func (p place) peer(name, dir, file string, packages ...string) command {
	args := append([]string{"--output-file", file, "--go-header-file", p.header}, packages...)
	return command{program: filepath.Join(p.bin, name), dir: dir, args: args}
}

// versions are the packages of the sample's versions.
var versions = []string{"./pkg/apis/wardle/v1alpha1", "./pkg/apis/wardle/v1beta1"}

// helpers are the peers of gen for a group with an internal and two external versions, with the
// arguments that kube_codegen.sh gives them.
func (p place) helpers() []command {
	openapi := p.peer("openapi-gen", p.sample, openapiFile, versions...)
	openapi.args = append([]string{
		"--output-dir", "pkg/generated/openapi", "--output-pkg", "k8s.io/sample-apiserver/pkg/generated/openapi",
		"--report-filename", os.DevNull,
	}, openapi.args...)
	return []command{
		p.peer("deepcopy-gen", p.sample, deepcopyFile, append([]string{"./pkg/apis/wardle"}, versions...)...),
		p.peer("defaulter-gen", p.sample, defaultsFile, versions...),
		p.peer("conversion-gen", p.sample, conversionFile, versions...),
		openapi,
	}
}

// goToProtobuf prints the same packages as gen. Packages of apimachinery are read, but not printed.
func (p place) goToProtobuf() command {
	protos, err := find(p.api, []string{"generated.proto"})
	if err != nil {
		panic(err) // prepare has just written the folder
	}
	var packages []string
	for _, name := range protos {
		rel, _ := filepath.Rel(p.tree, filepath.Dir(name))
		packages = append(packages, filepath.ToSlash(rel))
	}
	slices.Sort(packages)
	read := []string{
		"-k8s.io/apimachinery/pkg/util/intstr", "-k8s.io/apimachinery/pkg/api/resource", "-k8s.io/apimachinery/pkg/runtime/schema",
		"-k8s.io/apimachinery/pkg/runtime", "-k8s.io/apimachinery/pkg/apis/meta/v1",
	}
	return command{
		program: filepath.Join(p.bin, "go-to-protobuf"), dir: p.tree, env: []string{"GOWORK="},
		args: []string{
			"--output-dir", ".", "--go-header-file", p.header, "--proto-import", p.gogo,
			"--apimachinery-packages", strings.Join(read, ","), "--packages", strings.Join(packages, ","),
		},
	}
}
