package scaffold

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"
)

// adopt adds a server to a module that has kinds. Their packages, and whatever else is there, stay
// as they are.
func adopt(ctx context.Context, c InitConfig, p *Project) (Result, error) {
	folder, err := p.above()
	if err != nil {
		return Result{}, err
	}
	patterns, err := Patterns(p.Root)
	if err != nil {
		return Result{}, err
	}
	server := newProgram(p.Module, folder, programName(p.Module), patterns)
	server.Binary += "-apiserver" // the module has programs already
	server.MainDir, server.KindsIn = "cmd/"+server.Binary, "the folders below"
	plan := newPlan(p.Root)
	if err := errors.Join(plan.make(server.ServerFile, "server.go", server), plan.make(server.MainDir+"/main.go", "main.go", server)); err != nil {
		return Result{}, err
	}
	result, err := plan.write()
	if err != nil {
		return Result{}, err
	}
	for _, api := range p.APIs {
		result.Kept = append(result.Kept, fmt.Sprintf("%s, with the kinds of %s/%s", api.Path, api.Group, api.Version))
	}
	if err := c.modules(ctx, p.Module, ""); err != nil {
		return result, err
	}
	result.Next = []string{"go run ./" + server.MainDir}
	return result, c.finish(ctx, patterns, []string{"."})
}

// above is the folder for the server: the root, or the one that all kinds are below, whichever has
// no package yet.
func (p *Project) above() (string, error) {
	common := strings.Split(path.Dir(strings.TrimPrefix(p.APIs[0].Path, p.Module+"/")), "/")
	for _, api := range p.APIs[1:] {
		parts := strings.Split(path.Dir(strings.TrimPrefix(api.Path, p.Module+"/")), "/")
		n := 0
		for n < min(len(common), len(parts)) && common[n] == parts[n] {
			n++
		}
		common = common[:n]
	}
	shared := strings.Join(common, "/")
	if shared == "." {
		shared = ""
	}
	for _, folder := range []string{"", shared} {
		if !goFilesIn(filepath.Join(p.Root, folder)) {
			return folder, nil
		}
	}
	return "", fmt.Errorf("a server's package lies above those of the kinds, and both %s and %s are packages: move the kinds into a folder of one folder more", p.Module, path.Join(p.Module, shared))
}
