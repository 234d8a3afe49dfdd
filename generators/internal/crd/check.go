package crd

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/apiserver"
	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/load"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/progress"
	"github.com/typeplane/typeplane/generators/internal/tag"

	"k8s.io/apimachinery/pkg/runtime/schema"
	yamlreader "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// CheckConfig says what is compared with what.
type CheckConfig struct {
	// Dir, Env and Patterns are as in generators.Config.
	Dir      string
	Env      []string
	Patterns []string
	// Tags are all that are known.
	Tags *tag.Table
	// Path is a file with CustomResourceDefinitions, or a folder with such files, also in folders
	// below.
	Path string
	// Progress shows the step that a long run is at; nil shows nothing.
	Progress *progress.Progress
}

// CheckResult is what was found.
type CheckResult struct {
	// Compared is how many definitions were compared with types.
	Compared int
	// Problems are the differences, or what keeps the packages from being read.
	Problems []diag.Problem
}

// Check compares definitions with what would be printed for the kinds of the same names. It does
// not compare descriptions, nor what else a definition may hold. If the definitions are a folder,
// it wants all kinds.
func Check(cfg CheckConfig) (CheckResult, error) {
	theirs, err := readDefinitions(cfg.Path)
	if err != nil {
		return CheckResult{}, err
	}
	report := &diag.Report{}
	set, err := load.Load(load.Config{Dir: cfg.Dir, Env: cfg.Env, Patterns: cfg.Patterns, Tags: cfg.Tags, Report: report, Progress: cfg.Progress})
	if err != nil {
		return CheckResult{}, err
	}
	pass := &generators.Pass{Model: model.New(set), Packages: set.Packages, Report: report}
	if problems := report.Problems(); len(problems) > 0 {
		return CheckResult{Problems: problems}, nil
	}
	c := checker{report: report, wanted: map[schema.GroupKind]*written{}}
	for _, d := range theirs {
		c.wanted[schema.GroupKind{Group: d.Spec.Group, Kind: d.Spec.Names.Kind}] = d
	}
	for _, p := range apiserver.Programs(pass) {
		whole := read(&generators.Pass{Model: pass.Model, Report: &diag.Report{}}, p.Package)
		for _, k := range kinds(pass, p, whole.metadata) {
			c.kind(k, isFolder(cfg.Path))
		}
	}
	for _, d := range theirs {
		if c.wanted[schema.GroupKind{Group: d.Spec.Group, Kind: d.Spec.Names.Kind}] != nil {
			report.Add(diag.Problem{
				Pos: token.Position{Filename: d.file}, Path: d.Metadata.Name,
				Message: "no server of the packages has this kind", Cure: "name the packages of its types and of a server with +" + model.TagServer + " too, or take the file away",
			})
		}
	}
	return CheckResult{Compared: c.compared, Problems: report.Problems()}, nil
}

// checker compares kinds with their definitions.
type checker struct {
	report   *diag.Report
	wanted   map[schema.GroupKind]*written // definitions that no kind was found for yet
	compared int
}

// kind compares one kind; all tells that there should be a definition of each.
func (c *checker) kind(k kind, all bool) {
	d := c.wanted[k.GroupKind]
	if d == nil {
		if all {
			c.report.Add(diag.Problem{Pos: k.Versions[0].Pos, Path: k.GroupKind.Kind, Message: "there is no CustomResourceDefinition of it", Cure: "print it, with +" + tagName})
		}
		return
	}
	delete(c.wanted, k.GroupKind)
	c.compared++
	compareDefinitions(c.report, k, d)
}

// written is a definition in a file.
type written struct {
	definition
	file string
}

// readDefinitions reads the definitions of a file, or of all files of YAML and JSON in a folder.
func readDefinitions(path string) ([]*written, error) {
	var out []*written
	err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name != path && !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(name)) {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		found, err := definitionsIn(data, name)
		out = append(out, found...)
		return err
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("%s: there is no CustomResourceDefinition in it", path)
	}
	return out, err
}

func definitionsIn(data []byte, name string) (out []*written, err error) {
	documents := yamlreader.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	for {
		text, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		d := &written{file: name}
		if err := yaml.Unmarshal(text, &d.definition); err != nil {
			if strings.Contains(string(text), "CustomResourceDefinition") {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			continue
		}
		if d.Kind == "CustomResourceDefinition" {
			if d.APIVersion != "apiextensions.k8s.io/v1" {
				return nil, fmt.Errorf("%s: %s is of %s; want apiextensions.k8s.io/v1", name, d.Metadata.Name, d.APIVersion)
			}
			out = append(out, d)
		}
	}
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
