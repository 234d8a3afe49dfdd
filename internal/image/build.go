package image

import (
	"bytes"
	"cmp"
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path"
	"runtime/debug"
	"strings"
	"time"
)

// built is a program for one platform.
type built struct {
	name     string
	platform platform
	binary   []byte
	info     *debug.BuildInfo
	// created is the time of the commit, or the beginning of time where no commit is known.
	created string
	page    []npmPackage
	sbom    []byte
}

// programName is what the go command would call the program. That it is one is found out before
// anything is built.
func programName(ctx context.Context, o Options) (string, error) {
	out, err := goCommand(ctx, o, nil, "list", "-f", "{{.Name}} {{.ImportPath}}", "--", o.Package)
	if err != nil {
		return "", err
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	kind, importPath, _ := strings.Cut(lines[0], " ")
	switch {
	case len(lines) > 1:
		return "", fmt.Errorf("%s are %d packages: name that of one program", o.Package, len(lines))
	case kind != "main":
		return "", fmt.Errorf("%s is package %s: name that of a program, which is called main", importPath, kind)
	}
	return path.Base(importPath), nil
}

// build builds the program as file. It links no C, so that it needs nothing beside it.
func build(ctx context.Context, o Options, p platform, file string) (*built, error) {
	env := []string{"CGO_ENABLED=0", "GOOS=" + p.OS, "GOARCH=" + p.Architecture}
	if _, err := goCommand(ctx, o, env, "build", "-trimpath", "-buildvcs=auto", "-ldflags=-s -w", "-o", file, "--", o.Package); err != nil {
		return nil, err
	}
	binary, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	b := &built{name: path.Base(file), platform: p, binary: binary, info: info}
	b.created = cmp.Or(b.setting("vcs.time"), time.Unix(0, 0).UTC().Format(time.RFC3339))
	if b.page, err = onPage(ctx, o, env); err != nil {
		return nil, err
	}
	b.sbom, err = b.describe()
	return b, err
}

// setting is what the go command has noted in the program.
func (b *built) setting(key string) string {
	for _, s := range b.info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// labels are those of OCI that the program itself can fill in.
func (b *built) labels() map[string]string {
	labels := map[string]string{
		"org.opencontainers.image.title":   b.name,
		"org.opencontainers.image.created": b.created,
	}
	if v := versionOf(&b.info.Main); v != "" {
		labels["org.opencontainers.image.version"] = v
	}
	if r := b.setting("vcs.revision"); r != "" {
		labels["org.opencontainers.image.revision"] = r
	}
	return labels
}

func goCommand(ctx context.Context, o Options, env []string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = o.Dir, append(os.Environ(), env...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, bytes.TrimSpace(said.Bytes()))
	}
	return out, nil
}
