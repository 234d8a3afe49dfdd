package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

const plainText = "text/plain; charset=utf-8"

// addHealth serves /livez, /readyz and /healthz (which is all checks), and each check at
// /<root>/<check>.
func (s *Server) addHealth() {
	ping := Check{Name: "ping", Check: func(context.Context) error { return nil }}
	shutdown := Check{Name: "shutdown", Check: func(context.Context) error {
		if s.stopping.Load() {
			return errors.New("process is shutting down")
		}
		return nil
	}}
	live := append([]Check{ping}, s.config.Livez...)
	all := slices.Concat(live, s.config.Readyz)
	s.addChecks("livez", live)
	s.addChecks("readyz", append(slices.Clip(all), shutdown))
	s.addChecks("healthz", slices.Concat(all, s.config.Healthz))
}

func (s *Server) addChecks(root string, checks []Check) {
	s.documents["/"+root] = func(c *call) error { return s.checkHealth(c, root, checks) }
	for _, check := range checks {
		s.documents["/"+root+"/"+check.Name] = func(c *call) error {
			if err := check.Check(c.ctx); err != nil {
				return c.sendBytes(http.StatusInternalServerError, plainText, fmt.Appendf(nil, "internal server error: %v\n", err))
			}
			return c.sendBytes(http.StatusOK, plainText, []byte("ok"))
		}
	}
}

// checkHealth runs the checks that the client does not exclude. Names and notes of checks are told
// to users only, and reasons only by the path of the one check.
func (s *Server) checkHealth(c *call, root string, checks []Check) error {
	c.w.Header().Set("X-Content-Type-Options", "nosniff")
	var report strings.Builder
	excluded := slices.Clone(c.query["exclude"])
	failed := false
	for _, check := range checks {
		if slices.Contains(excluded, check.Name) {
			excluded = slices.DeleteFunc(excluded, func(name string) bool { return name == check.Name })
			fmt.Fprintf(&report, "[+]%s excluded: ok\n", check.Name)
			continue
		}
		if err := check.Check(c.ctx); err != nil {
			failed = true
			if gone := c.req.Context().Err(); gone != nil {
				return gone // nobody waits for the answer, and the check says nothing of the server
			}
			s.config.Log.Warn("a health check failed", "root", root, "check", check.Name, "error", err)
			fmt.Fprintf(&report, "[-]%s failed: %s\n", check.Name, cmp.Or(check.note(), "reason withheld"))
			continue
		}
		fmt.Fprintf(&report, "[+]%s ok%s\n", check.Name, after(", ", check.note()))
	}
	if len(excluded) > 0 {
		fmt.Fprintf(&report, "warn: some health checks cannot be excluded: no matches for %s\n", inQuotes(excluded))
	}
	if !c.known() {
		report.Reset()
	}
	if failed {
		return c.sendBytes(http.StatusInternalServerError, plainText, []byte(report.String()+root+" check failed\n"))
	}
	if !c.query.Has("verbose") || !c.known() {
		return c.sendBytes(http.StatusOK, plainText, []byte("ok"))
	}
	return c.sendBytes(http.StatusOK, plainText, []byte(report.String()+root+" check passed\n"))
}

// after puts a text behind another one, if there is any.
func after(head, text string) string {
	if text == "" {
		return ""
	}
	return head + text
}

// inQuotes are names in quotes with a comma between two.
func inQuotes(names []string) string {
	var all []string
	for _, name := range names {
		all = append(all, strconv.Quote(name))
	}
	return strings.Join(all, ",")
}
