package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// spec is one of Kubernetes' own tests, in ginkgo's report.
type spec struct {
	ContainerHierarchyTexts []string
	LeafNodeType            string
	LeafNodeText            string
	State                   string
	RunTime                 time.Duration
	Failure                 struct{ Message string }
}

func (s spec) name() string {
	return strings.Join(append(slices.Clone(s.ContainerHierarchyTexts), s.LeafNodeText), " ")
}

func (s spec) ran() bool { return s.State != "skipped" && s.State != "pending" }

// e2e runs the tests that e2e_specs.go chooses on both sides, and prints which pass where. A test
// that passes on kube-apiserver only, and has no reason, is an error.
func e2e(ctx context.Context, bin, dir, page, focus string, patience time.Duration) error {
	if focus == "all" {
		focus = focusE2E
	}
	states := make([]map[string]spec, len(sides))
	for i, s := range sides {
		own := filepath.Join(dir, filepath.Base(s.name))
		if err := os.Mkdir(own, 0o700); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%s, load %s\n", s.name, load())
		var err error
		if states[i], err = tested(ctx, &cluster{bin: bin, dir: own, patience: patience}, s.serve, focus); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	table, err := printE2E(focus, states[0], states[1])
	fmt.Print(table)
	if page != "" {
		err = errors.Join(err, insert(page, "make kubernetes-e2e", table))
	}
	return err
}

// tested runs the tests on a new cluster with a few nodes.
func tested(ctx context.Context, c *cluster, serve server, focus string) (map[string]spec, error) {
	bin, err := filepath.Abs(c.bin)
	if err != nil {
		return nil, err
	}
	e, err := startEtcd(ctx, bin, c.dir)
	if err != nil {
		return nil, err
	}
	defer e.stop()
	c.etcd = e.url
	if err := c.start(ctx, serve, around()...); err != nil {
		return nil, err
	}
	defer c.stop()
	limit, cancel := context.WithTimeout(ctx, c.patience)
	defer cancel()
	if err := (workload{nodes: 3}).addNodes(limit, &api{c.server.URL, c.server.Client}); err != nil {
		return nil, err
	}
	report := filepath.Join(c.dir, "e2e.json")
	log, err := os.Create(c.log("e2e"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	args := []string{
		"-test.run=^TestE2E$", "-test.timeout=0", "--kubeconfig=" + c.server.Kubeconfig, "--provider=skeleton", "--kubectl-path=" + filepath.Join(bin, "kubectl"),
		"--ginkgo.json-report=" + report, "--ginkgo.no-color", "--ginkgo.timeout=2h", "--ginkgo.seed=1", "--ginkgo.focus=" + focus,
	}
	for _, s := range leftOut {
		args = append(args, "--ginkgo.skip="+s.like.String())
	}
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "e2e.test"), args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.dir, log, log
	ran := cmd.Run() // it fails if one of the tests does
	all, err := readReport(report)
	if err != nil {
		return nil, errors.Join(ran, err)
	}
	if !slices.ContainsFunc(slices.Collect(maps.Values(all)), spec.ran) {
		return nil, fmt.Errorf("no test has run, see %s: %w", log.Name(), ran)
	}
	return all, nil
}

// readReport reads what ginkgo has written about each test, by its name.
func readReport(file string) (map[string]spec, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var suites []struct{ SpecReports []spec }
	if err := json.Unmarshal(text, &suites); err != nil {
		return nil, err
	}
	all := map[string]spec{}
	for _, suite := range suites {
		for _, s := range suite.SpecReports {
			if s.LeafNodeType == "It" {
				all[s.name()] = s
			}
		}
	}
	return all, nil
}

// printE2E prints how many tests pass where, for each group, why some pass on kube-apiserver only,
// and why some of the focus were left out. Those that pass there only without a reason are the
// error.
func printE2E(focus string, theirs, own map[string]spec) (string, error) {
	chosen, err := regexp.Compile(focus)
	if err != nil {
		return "", err
	}
	type row struct{ both, there, here, neither int }
	rows, reasons, left := map[string]*row{}, map[string]int{}, map[string]int{}
	var errs []error
	for name, s := range theirs {
		if !s.ran() && !own[name].ran() {
			if i := indexOf(leftOut, name); i >= 0 && chosen.MatchString(name) {
				left[leftOut[i].reason]++
			}
			continue
		}
		group := s.ContainerHierarchyTexts[0]
		if rows[group] == nil {
			rows[group] = &row{}
		}
		r := rows[group]
		switch there, here := theirs[name].State == "passed", own[name].State == "passed"; {
		case there && here:
			r.both++
		case here:
			r.here++
		case !there:
			r.neither++
		default:
			r.there++
			i := indexOf(onlyThere, name)
			if i < 0 {
				errs = append(errs, fmt.Errorf("passes on kube-apiserver only: %s: %s", name, own[name].Failure.Message))
				continue
			}
			reasons[onlyThere[i].reason]++
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s.\n\n| tests | pass on both | only on kube-apiserver | only on ours | on neither |\n|---|---|---|---|---|\n", time.Now().Format(time.DateOnly), "k8s.io/kubernetes v1.37.2")
	sum := row{}
	for _, group := range slices.Sorted(maps.Keys(rows)) {
		r := rows[group]
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d |\n", group, r.both, r.there, r.here, r.neither)
		sum = row{sum.both + r.both, sum.there + r.there, sum.here + r.here, sum.neither + r.neither}
	}
	fmt.Fprintf(&b, "| **all** | %d | %d | %d | %d |\n", sum.both, sum.there, sum.here, sum.neither)
	printReasons(&b, "why only on kube-apiserver", reasons)
	printReasons(&b, "left out", left)
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return b.String(), errors.Join(errs...)
}

func printReasons(b *strings.Builder, title string, reasons map[string]int) {
	if len(reasons) == 0 {
		return
	}
	fmt.Fprintf(b, "\n| %s | tests |\n|---|---|\n", title)
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		fmt.Fprintf(b, "| %s | %d |\n", reason, reasons[reason])
	}
}

// indexOf is which expectation a test is like, -1 for none.
func indexOf(all []expectation, name string) int {
	return slices.IndexFunc(all, func(e expectation) bool { return e.like.MatchString(name) })
}
