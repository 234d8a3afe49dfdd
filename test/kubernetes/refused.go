package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// event is what of a line of the audit log is looked at.
type event struct {
	Verb, RequestURI, UserAgent string
	ObjectRef                   struct{ APIGroup, Resource, Subresource string }
	ResponseStatus              struct {
		Code    int
		Message string
	}
}

// refused are the answers with an error that nobody expects, each kind once with how often it came.
func (c *cluster) refused() ([]string, error) {
	seen := tally{}
	err := filepath.WalkDir(filepath.Join(c.data(), "audit"), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return eachLine(name, func(line string) error {
			var e event
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				return err
			}
			if e.ResponseStatus.Code < 400 {
				return nil
			}
			o := e.ObjectRef
			program, _, _ := strings.Cut(e.UserAgent, "/")
			what := strings.Trim(o.APIGroup+"/"+o.Resource+"/"+o.Subresource, "/")
			seen.add(fmt.Sprintf("%d %s %s by %s", e.ResponseStatus.Code, e.Verb, what, program), e.RequestURI+": "+e.ResponseStatus.Message)
			return nil
		})
	})
	return seen.unexpected(expectedRefusals), err
}

// complaints are the lines with errors in the logs of the programs that nobody expects.
func (c *cluster) complaints() []error {
	var errs []error
	for _, p := range c.programs {
		name := filepath.Base(p.Path)
		seen := tally{}
		err := eachLine(c.log(name), func(line string) error {
			if isComplaint(line) {
				seen.add(name+": "+masked(line), line)
			}
			return nil
		})
		errs = append(errs, err)
		for _, s := range seen.unexpected(expectedComplaints) {
			errs = append(errs, errors.New(s))
		}
	}
	return errs
}

// isComplaint says whether a line of klog is an error, or one of slog.
func isComplaint(line string) bool {
	return len(line) > 5 && (line[0] == 'E' || line[0] == 'F') && line[1] >= '0' && line[1] <= '9' || strings.Contains(line, `"level":"ERROR"`) || strings.Contains(line, "panic:")
}

var varies = regexp.MustCompile(`^[EF]\d{4} [\d:.]+ +\d+ |[0-9a-f]{8}-[0-9a-f-]{27}|\d+`)

// masked is a line without what differs from one time to the next.
func masked(line string) string { return varies.ReplaceAllString(line, "#") }

// tally counts what is alike, with an example.
type tally map[string]*struct {
	n       int
	example string
}

func (t tally) add(key, example string) {
	if t[key] == nil {
		t[key] = &struct {
			n       int
			example string
		}{example: example}
	}
	t[key].n++
}

// unexpected are those whose key and example no expression matches.
func (t tally) unexpected(expected []expectation) []string {
	var all []string
	for key, of := range t {
		if !slices.ContainsFunc(expected, func(e expectation) bool { return e.like.MatchString(key + ": " + of.example) }) {
			all = append(all, fmt.Sprintf("%d times %s: %s", of.n, key, of.example))
		}
	}
	slices.Sort(all)
	return all
}

func eachLine(name string, do func(string) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		if err := do(lines.Text()); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return lines.Err()
}
