package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/drill"
	"github.com/typeplane/typeplane/internal/etcdproc"
)

// TestCorruptMember changes a value in the database of one of three members, as a bad disk does.
// etcd has no checksum of it, and the member goes on with it. The server that runs knows better
// from memory. One that is started refuses, until the member was replaced.
func TestCorruptMember(t *testing.T) {
	t.Parallel()
	etcd := startEtcd(t, etcdproc.Config{Members: 3})
	endpoints := strings.Join(etcd.Endpoints(), ",")
	s := startServer(t, "--etcd-servers", endpoints)
	const right, wrong = "what-was-written", "what-was-damaged"
	for n := range 20 {
		s.create(t, fmt.Sprintf("book-%d", n), right)
	}
	leader := awaitLeader(t, etcd, nil)
	member := etcd.Members()[0]
	if member == leader {
		member = etcd.Members()[1]
	}
	time.Sleep(500 * time.Millisecond) // until etcd has put it into its database
	must(t, member.Kill())
	damage(t, filepath.Join(member.DataDir(), "member", "snap", "db"), right, wrong)
	must(t, member.Restart())
	healthy(t, etcd)

	answers, bad := 0, 0
	for range 10 {
		for n := range 20 {
			answers++
			if _, token := s.token(t, fmt.Sprintf("book-%d", n)); token != right {
				bad++
				t.Errorf("book-%d says %q", n, token)
			}
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, library, "--data-dir", t.TempDir(), "--secure-port", "0", "--etcd-servers", endpoints).CombinedOutput()
	if err == nil || ctx.Err() != nil || !strings.Contains(string(out), "the members of etcd hold different data") {
		bad++
		t.Errorf("a server starts over members that differ: %v\n%s", err, out)
	}
	replacing := time.Now()
	must(t, etcd.Replace(ctx, member))
	healthy(t, etcd)
	late := startServer(t, "--etcd-servers", endpoints)
	for n := range 20 {
		if _, token := late.token(t, fmt.Sprintf("book-%d", n)); token != right {
			bad++
			t.Errorf("after the member was replaced book-%d says %q", n, token)
		}
	}
	drill.CorruptMember.Count("corruptions", 1)
	drill.CorruptMember.Count("answers", answers)
	drill.CorruptMember.Count("wrong answers", bad)
	drill.CorruptMember.Worst("a new member, and a new server", time.Since(replacing))
}

// damage changes what a file says, wherever it says it: a page is there in several states.
func damage(t *testing.T, file, from, to string) {
	t.Helper()
	data, err := os.ReadFile(file)
	must(t, err)
	damaged := bytes.ReplaceAll(data, []byte(from), []byte(to))
	if bytes.Equal(data, damaged) {
		t.Fatalf("%s has no %q", file, from)
	}
	must(t, os.WriteFile(file, damaged, 0o600))
}

// TestRestoreUnderReplicas restores a backup of etcd while three servers run, who have seen more.
// etcd is gone for a moment, and then has less, at a later revision. Nobody tells the servers. Each
// ends where the store is, also in what it answers from memory, and no watch goes on over the gap.
func TestRestoreUnderReplicas(t *testing.T) {
	t.Parallel()
	etcd := startEtcd(t, etcdproc.Config{Members: 1})
	endpoint, secret := etcd.Endpoints()[0], secretFile(t)
	var servers []*server
	for range 3 {
		servers = append(servers, startServer(t, "--etcd-servers", endpoint, "--cluster-secret-file", secret))
	}
	for n := range 20 {
		servers[0].create(t, fmt.Sprintf("book-%d", n), "before")
	}
	dir := t.TempDir()
	command := func(args ...string) {
		t.Helper()
		if out, err := exec.CommandContext(t.Context(), library, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	backup := filepath.Join(dir, "backup")
	command("backup", backup, "--etcd-servers", endpoint)
	want := servers[0].names(t, "")
	latest := int64(0)
	for n := range 20 {
		latest = servers[n%3].create(t, fmt.Sprintf("later-%d", n), "after")
	}
	for _, s := range servers {
		for len(s.names(t, "?resourceVersion=0")) != 40 { // it has heard of all
			time.Sleep(every)
		}
	}

	member := etcd.Members()[0]
	must(t, member.Kill())
	must(t, os.RemoveAll(member.DataDir()))
	command("restore", backup, "--data-dir", member.DataDir())
	must(t, member.Restart())
	healthy(t, etcd)
	began, old := time.Now(), 0
	for i, s := range servers {
		for !slices.Equal(s.names(t, ""), want) || !slices.Equal(s.names(t, "?resourceVersion=0"), want) {
			if time.Since(began) > trouble {
				t.Fatalf("server %d has %v, and from memory %v", i, s.names(t, ""), s.names(t, "?resourceVersion=0"))
			}
			time.Sleep(every)
		}
	}
	right := time.Since(began)
	for i, s := range servers {
		code, body, err := s.do(t.Context(), http.MethodGet, fmt.Sprintf("%s?watch=true&resourceVersion=%d&timeoutSeconds=20", books, latest), "", nil)
		if err != nil || !strings.Contains(string(body), `"code":410`) {
			old++
			t.Errorf("server %d: a watch from before the restore: %d %.300s %v", i, code, body, err)
		}
		if next := s.create(t, fmt.Sprintf("new-%d", i), "new"); next <= latest {
			old++
			t.Errorf("server %d: the next revision is %d, and %d was given before", i, next, latest)
		}
		if code, token := servers[(i+1)%3].token(t, fmt.Sprintf("new-%d", i)); token != "new" {
			old++
			t.Errorf("another server does not know new-%d: %d", i, code)
		}
	}
	t.Logf("all three are right %v after etcd is back", right)
	drill.RestoreUnderReplicas.Count("restores", 1)
	drill.RestoreUnderReplicas.Count("old objects served", old)
	drill.RestoreUnderReplicas.Worst("servers are right", right)
}

// create creates a book with a token, and returns its revision.
func (s *server) create(t *testing.T, name, token string) int64 {
	t.Helper()
	body := fmt.Appendf(nil, `{"metadata":{"name":%q,"annotations":{"token":%q}},"spec":{"title":"T"}}`, name, token)
	code, answer, err := s.do(t.Context(), http.MethodPost, books, "application/json", body)
	if err != nil || code != http.StatusCreated {
		t.Fatalf("create %s: %d %s %v", name, code, answer, err)
	}
	return parse(answer).revision
}

// token is that of a book, of the newest state.
func (s *server) token(t *testing.T, name string) (code int, token string) {
	t.Helper()
	code, body, err := s.do(t.Context(), http.MethodGet, books+"/"+name, "", nil)
	must(t, err)
	return code, parse(body).Metadata.Annotations["token"]
}

// names are those of all books, nil where there is no answer.
func (s *server) names(t *testing.T, query string) (names []string) {
	t.Helper()
	code, body, err := s.do(t.Context(), http.MethodGet, books+query, "", nil)
	if err != nil || code != http.StatusOK {
		return nil
	}
	var list struct{ Items []answer }
	must(t, json.Unmarshal(body, &list))
	for _, item := range list.Items {
		names = append(names, item.Metadata.Name)
	}
	slices.Sort(names)
	return names
}
