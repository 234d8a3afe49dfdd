package clients

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"k8s.io/client-go/rest"

	"github.com/typeplane/typeplane/internal/drill"
)

var (
	fairFor   = flag.Duration("fair", 500*time.Millisecond, "how long each part of TestFairness lasts")
	fairTimes = flag.Float64("fairtimes", 0, "how many times longer the 99th percentile of the quiet user may be beside noise; 0 is no bound, as on a machine that does other things")
)

// TestFairness lets a quiet user work beside a noisy one, who asks for fifty times the seats that
// are a fair share, and beside strangers who misuse connections. Every request of the quiet user is
// answered, while the noisy one is refused some. The times of the quiet user, as the server
// measures them, are compared with those of the user alone. The noise comes from a process that
// yields to the server, since both share a machine.
func TestFairness(t *testing.T) {
	dir := t.TempDir()
	tokens, policy, log := filepath.Join(dir, "tokens"), filepath.Join(dir, "policy"), filepath.Join(dir, "audit")
	must(t, os.WriteFile(tokens, []byte("quiet-token,quiet,1\nnoisy-token,noisy,2\n"), 0o600))
	must(t, os.WriteFile(policy, []byte("apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules:\n- {level: Metadata, users: [quiet]}\n- {level: None}\n"), 0o600))
	s := start(t, "library", "--token-auth-file", tokens, "--authorization-mode", "AlwaysAllow", "--audit-policy-file", policy, "--audit-log-path", log)
	admin, err := rest.HTTPClientFor(s.config)
	must(t, err)
	for i := range 2000 {
		body := fmt.Sprintf(`{"apiVersion":"library.example.com/v1","kind":"Book","metadata":{"name":"b%04d","annotations":{"a":%q}},"spec":{"title":"t","author":"a","isbn":"9780141439518","pages":3}}`, i, strings.Repeat("x", 1000))
		resp, err := admin.Post(s.config.Host+bookPath, "application/json", strings.NewReader(body))
		must(t, err)
		answer, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != http.StatusCreated {
			t.Fatalf("%s %s", resp.Status, answer)
		}
	}
	quiet, err := rest.HTTPClientFor(s.with(func(c *rest.Config) {
		c.BearerToken, c.CertData, c.KeyData, c.CertFile, c.KeyFile = "quiet-token", nil, nil, "", ""
	}))
	must(t, err)
	times := &audited{t: t, file: log}
	measure := func(name string) (p50, p99 time.Duration) {
		begun, n := time.Now(), 0
		for ; time.Since(begun) < *fairFor; n++ {
			resp, err := quiet.Get(s.config.Host + bookPath + "/b0001")
			must(t, err)
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				t.Errorf("%s: the quiet user got %s", name, resp.Status)
			}
			time.Sleep(5 * time.Millisecond)
		}
		all := times.next(n)
		return all[len(all)/2], all[len(all)*99/100]
	}
	measure("warm")
	for _, noise := range []string{"gets", "lists", "resets", "slow headers"} {
		t.Run(noise, func(t *testing.T) {
			before50, before := measure("alone")
			cmd := exec.Command("nice", "-n", "19", os.Args[0])
			cmd.Env = append(os.Environ(), "TYPEPLANE_NOISE="+noise, "TYPEPLANE_NOISE_AT="+s.config.Host)
			cmd.Stderr = os.Stderr
			stdin, err := cmd.StdinPipe() // it ends with us
			must(t, err)
			stdout, err := cmd.StdoutPipe()
			must(t, err)
			must(t, cmd.Start())
			time.Sleep(500 * time.Millisecond)
			p50, p99 := measure(noise)
			stdin.Close()
			said, _ := io.ReadAll(stdout)
			_ = cmd.Wait()
			if (noise == "gets" || noise == "lists") && !strings.Contains(string(said), "429:") {
				t.Errorf("the noisy user was refused nothing, so this shows nothing: %s", said)
			}
			if *fairTimes > 0 && float64(p99) > *fairTimes*float64(before) {
				t.Errorf("beside %s the 99th percentile is %v, alone it is %v", noise, p99, before)
			}
			t.Logf("quiet user alone p50 %v p99 %v, beside %s p50 %v p99 %v (%.1f times); %s", before50, before, noise, p50, p99, float64(p99)/float64(before), said)
			drill.Overload.Count("noises", 1)
			drill.Overload.Times("p99 of a quiet user, times alone", float64(p99)/float64(before))
		})
	}
}

// audited reads the times of requests out of an audit log.
type audited struct {
	t    *testing.T
	file string
	read int64
}

// next waits for the times of n more requests, and returns them sorted.
func (a *audited) next(n int) []time.Duration {
	a.t.Helper()
	var all []time.Duration
	eventually(a.t, "the audit log has the requests", func() bool {
		f, err := os.Open(a.file)
		must(a.t, err)
		defer f.Close()
		_, err = f.Seek(a.read, io.SeekStart)
		must(a.t, err)
		lines := bufio.NewReader(f)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return len(all) >= n
			}
			a.read += int64(len(line))
			var event struct {
				RequestReceivedTimestamp, StageTimestamp time.Time
			}
			must(a.t, json.Unmarshal(line, &event))
			all = append(all, event.StageTimestamp.Sub(event.RequestReceivedTimestamp))
		}
	})
	slices.Sort(all)
	return all
}

// share is how many seats one of two users may have at a time: half of those of global-default.
const share = 25

// noise is what the process does that TestFairness starts.
func noise(kind, at string) int {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	s := &server{config: &rest.Config{Host: at}}
	var mu sync.Mutex
	codes := map[string]int{}
	flood := func(path string) func() {
		client := &http.Client{Transport: &http2.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
		return func() {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, at+path, nil)
			if err != nil {
				return
			}
			req.Header.Set("Authorization", "Bearer noisy-token")
			resp, err := client.Do(req)
			if err != nil {
				return
			}
			_, err = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			mu.Lock()
			codes[strconv.Itoa(resp.StatusCode)]++
			mu.Unlock()
			if resp.StatusCode == http.StatusTooManyRequests {
				time.Sleep(100 * time.Millisecond)
			}
		}
	}
	var all sync.WaitGroup
	repeat := func(n int, do func()) {
		for range n {
			all.Go(func() {
				for ctx.Err() == nil {
					do()
				}
			})
		}
	}
	switch kind {
	case "gets":
		for range 5 {
			repeat(50*share/5, flood(bookPath+"/b0000"))
		}
	case "lists":
		for range 5 {
			repeat(50*share/5, flood(bookPath))
		}
	case "resets":
		repeat(8, func() { streams(true)(ctx, s) })
	case "slow headers":
		repeat(50, func() { slowHeaders(ctx, s) })
	}
	all.Wait()
	fmt.Printf("noise: %v", codes)
	return 0
}

// slowHeaders sends a header a byte at a time.
func slowHeaders(ctx context.Context, s *server) {
	raw := s.dial(ctx)
	if raw == nil {
		return
	}
	defer raw.Close()
	conn := net.Conn(tls.Client(raw, &tls.Config{InsecureSkipVerify: true}))
	for _, b := range []byte("GET /readyz HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 1000)) {
		if _, err := conn.Write([]byte{b}); err != nil || ctx.Err() != nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}
