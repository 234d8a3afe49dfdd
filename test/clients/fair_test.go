package clients

import (
	"bufio"
	"bytes"
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
	"golang.org/x/net/http2/hpack"
	"k8s.io/client-go/rest"

	"github.com/typeplane/typeplane/internal/drill"
)

var (
	fairFor    = flag.Duration("fair", 250*time.Millisecond, "how long each part of TestFairness lasts")
	fairRounds = flag.Int("fairrounds", 1, "how often TestFairness puts a kind of noise beside the quiet user")
	fairApart  = flag.Bool("fairapart", false, "whether the server has a processor, and all clients of TestFairness another one, so that the times mean something")
	fairTimes  = flag.Float64("fairtimes", 0, "how many times longer the 99th percentile of the quiet user may be beside noise; 0 is no bound, as where other programs run")
)

// TestFairness lets a quiet user work beside a noisy one, who asks for fifty times the seats that
// are a fair share, and beside strangers who misuse connections. Every request of the quiet user is
// answered. Its times are compared with those of the user alone, before and after.
//
// With -fairapart the server has a processor that no client has, and the noise yields to the quiet
// user on the other one. So nobody waits for a processor that another program has, and what the
// times show is what users share: the server.
func TestFairness(t *testing.T) {
	if *fairApart {
		t.Setenv("GOMAXPROCS", "1")
	}
	dir := t.TempDir()
	tokens, policy, log := filepath.Join(dir, "tokens"), filepath.Join(dir, "policy"), filepath.Join(dir, "audit")
	must(t, os.WriteFile(tokens, []byte("quiet-token,quiet,1\nnoisy-token,noisy,2\n"), 0o600))
	must(t, os.WriteFile(policy, []byte("apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules:\n- {level: Metadata, users: [quiet]}\n- {level: None}\n"), 0o600))
	s := start(t, "library", "--token-auth-file", tokens, "--authorization-mode", "AlwaysAllow", "--audit-policy-file", policy, "--audit-log-path", log)
	if *fairApart {
		pin(t, s.Cmd.Process.Pid, "0")
		pin(t, os.Getpid(), "1")
	}
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
	client, err := rest.HTTPClientFor(s.with(func(c *rest.Config) {
		c.BearerToken, c.CertData, c.KeyData, c.CertFile, c.KeyFile = "quiet-token", nil, nil, "", ""
	}))
	must(t, err)
	q := &quiet{t: t, s: s, client: client, log: &audited{t: t, file: log}}
	q.measure()
	for _, kind := range []string{"gets", "lists", "resets", "slow headers"} {
		t.Run(kind, func(t *testing.T) {
			var times []float64
			alone := q.measure()
			for range *fairRounds {
				said, stop := makeNoise(t, kind, s.config.Host)
				beside := q.measure()
				answers := stop()
				after := q.measure()
				ratio := 2 * float64(beside.p99) / float64(alone.p99+after.p99)
				t.Logf("%s\nalone  %v\nbeside %v\nafter  %v\n%.1f times; %s%s", kind, alone, beside, after, ratio, said, answers)
				if *fairApart {
					checkNoise(t, kind, beside, answers)
				}
				times = append(times, ratio)
				alone = after
			}
			drill.Overload.Count("noises", 1)
			if !*fairApart {
				return
			}
			slices.Sort(times)
			median := times[len(times)/2]
			t.Logf("%s: the 99th percentile is %.1f times that of the user alone; all rounds: %.1f", kind, median, times)
			drill.Overload.Times("p99 of a quiet user, times alone", median)
			if *fairTimes > 0 && median > *fairTimes {
				t.Errorf("beside %s the 99th percentile is %.1f times that of the user alone, want at most %v", kind, median, *fairTimes)
			}
		})
	}
}

// checkNoise fails where the noise was none, so that nothing would be shown.
func checkNoise(t *testing.T, kind string, beside figures, answers string) {
	t.Helper()
	least := map[string]float64{"gets": 0.5, "lists": 0.5}[kind]
	if beside.busy < least {
		t.Errorf("the noise had the server use %.2f of a processor: another program took its time", beside.busy)
	}
	if kind == "resets" && strings.HasSuffix(answers, "resets: 0") {
		t.Error("nothing was reset")
	}
	if kind == "lists" && !strings.Contains(answers, "429:") {
		t.Errorf("the noisy user was refused nothing: %s", answers)
	}
}

// pin gives a process one processor.
func pin(t *testing.T, pid int, processor string) {
	t.Helper()
	if out, err := exec.Command("taskset", "-a", "-c", "-p", processor, strconv.Itoa(pid)).CombinedOutput(); err != nil {
		t.Fatalf("taskset: %v: %s", err, out)
	}
}

// quiet is a user who asks for an object, looks at it, and asks again.
type quiet struct {
	t      *testing.T
	s      *server
	client *http.Client
	log    *audited
}

// figures are the times of a quiet user, as the user sees them and as the server does, from when a
// request is read. Busy is how many processors the server had meanwhile, and waited how long its
// threads waited for one.
type figures struct {
	p50, p99, server50, server99 time.Duration
	n                            int
	busy                         float64
	waited                       time.Duration
}

func (f figures) String() string {
	return fmt.Sprintf("p50 %v p99 %v, in the server %v %v, of %d; the server had %.2f processors and waited %v for them",
		f.p50, f.p99, f.server50, f.server99, f.n, f.busy, f.waited.Round(time.Millisecond))
}

func (q *quiet) measure() figures {
	q.t.Helper()
	var seen []time.Duration
	begun := time.Now()
	ran, waited := q.s.processors(q.t)
	for time.Since(begun) < *fairFor {
		asked := time.Now()
		resp, err := q.client.Get(q.s.config.Host + bookPath + "/b0001")
		must(q.t, err)
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		seen = append(seen, time.Since(asked))
		if resp.StatusCode != http.StatusOK {
			q.t.Errorf("the quiet user got %s", resp.Status)
		}
		time.Sleep(2 * time.Millisecond)
	}
	took := time.Since(begun)
	f := figures{n: len(seen)}
	f.p50, f.p99 = percentiles(seen)
	ran2, waited2 := q.s.processors(q.t)
	f.busy, f.waited = float64(ran2-ran)/float64(took), waited2-waited
	f.server50, f.server99 = percentiles(q.log.next(len(seen)))
	return f
}

func percentiles(all []time.Duration) (p50, p99 time.Duration) {
	slices.Sort(all)
	return all[len(all)/2], all[len(all)*99/100]
}

// processors is how long the threads of the server have run, and have waited to run. It is nothing
// where there is no Linux.
func (s *server) processors(t *testing.T) (ran, waited time.Duration) {
	t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", s.Cmd.Process.Pid))
	must(t, err)
	for _, file := range threads {
		data, err := os.ReadFile(file)
		if err != nil {
			continue // the thread has ended
		}
		var on, off time.Duration
		if _, err := fmt.Sscan(string(data), &on, &off); err != nil {
			t.Fatalf("%s: %q: %v", file, data, err)
		}
		ran += on
		waited += off
	}
	return ran, waited
}

// audited reads the times of requests out of an audit log.
type audited struct {
	t    *testing.T
	file string
	read int64
}

// next waits for the times of n more requests.
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
	return all
}

// share is how many seats one of two users may have at a time: half of those of global-default.
const share = 25

// makeNoise starts a process that makes noise, and returns when it has begun. It yields to all
// others. Stop ends it, and returns what answers it got.
func makeNoise(t *testing.T, kind, at string) (begun string, stop func() (answers string)) {
	t.Helper()
	least := []string{"nice", "-n", "19"}
	if *fairApart {
		least = []string{"chrt", "--idle", "0"}
	}
	cmd := exec.Command(least[0], append(least[1:], os.Args[0])...)
	cmd.Env = append(os.Environ(), "TYPEPLANE_NOISE="+kind, "TYPEPLANE_NOISE_AT="+at)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe() // it ends with us
	must(t, err)
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	out := bufio.NewReader(stdout)
	if begun, err = out.ReadString('\n'); err != nil {
		t.Fatalf("the noise has ended: %v", err)
	}
	return begun, func() string {
		stdin.Close()
		said, _ := io.ReadAll(out)
		_ = cmd.Wait()
		return string(said)
	}
}

// noise is what that process does.
func noise(kind, at string) int {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	s := &server{config: &rest.Config{Host: at}}
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
	flood := &flood{codes: map[int]int{}, answered: make(chan struct{})}
	began := flood.answered
	var resets breather
	switch kind {
	case "gets":
		repeat(5, func() { flood.run(ctx, s, bookPath+"/b0000", 50*share/5) })
	case "lists":
		repeat(5, func() { flood.run(ctx, s, bookPath, 50*share/5) })
	case "resets":
		began = nil
		repeat(8, func() { begin(ctx, s, true, resets.step) })
	case "slow headers":
		began = nil
		repeat(50, func() { slowHeaders(ctx, s) })
	}
	if began != nil {
		<-began
	}
	fmt.Println("noise has begun")
	all.Wait()
	fmt.Printf("answers: %v, resets: %d", flood.codes, resets.n)
	return 0
}

// breather counts what the goroutines of a process do, and has all of them sleep now and then. One
// that never waits for an answer would not let the quiet user have the processor that they share.
// The kernel may let an idle process go on for up to 5 ms when another one wakes up.
type breather struct {
	mu sync.Mutex // guards n
	n  int
}

func (b *breather) step() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.n++; b.n%20 == 0 { // 0.2 ms
		time.Sleep(100 * time.Microsecond)
	}
}

// flood asks as fast as a server can answer. It makes frames itself, so that it costs less than the
// server does.
type flood struct {
	mu       sync.Mutex  // guards codes
	codes    map[int]int // answers
	once     sync.Once
	answered chan struct{} // is closed with the first answer
}

// run has so many requests under way in one connection, until ctx or the connection ends.
func (f *flood) run(ctx context.Context, s *server, path string, atOnce int) {
	raw := s.dial(ctx)
	if raw == nil {
		return
	}
	defer raw.Close()
	conn := tls.Client(raw, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
	out := bufio.NewWriter(conn)
	io.WriteString(out, http2.ClientPreface)
	framer := http2.NewFramer(out, conn)
	framer.SetReuseFrames()
	framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1<<31 - 1})
	framer.WriteWindowUpdate(0, 1<<30)
	free, others := make(chan struct{}, atOnce), make(chan func(), 100)
	for range atOnce {
		free <- struct{}{}
	}
	go send(ctx, framer, out, path, free, others)

	refused := map[uint32]bool{}
	unread := 0
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			return
		}
		ended := false
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			if !frame.IsAck() {
				others <- func() { framer.WriteSettingsAck() }
			}
		case *http2.MetaHeadersFrame:
			refused[frame.StreamID] = f.count(frame.PseudoValue("status")) == http.StatusTooManyRequests
			ended = frame.StreamEnded()
		case *http2.DataFrame:
			if unread += len(frame.Data()); unread > 1<<28 {
				n := uint32(unread)
				others <- func() { framer.WriteWindowUpdate(0, n) }
				unread = 0
			}
			ended = frame.StreamEnded()
		case *http2.RSTStreamFrame:
			ended = true
		}
		if !ended {
			continue
		}
		again := func() { free <- struct{}{} }
		if id := frame.Header().StreamID; refused[id] {
			time.AfterFunc(100*time.Millisecond, again)
		} else {
			again()
		}
		delete(refused, frame.Header().StreamID)
	}
}

// count notes an answer.
func (f *flood) count(status string) (code int) {
	code, _ = strconv.Atoi(status)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.codes[code]++
	f.once.Do(func() { close(f.answered) })
	return code
}

// send asks once for each that is free, and sends the other frames.
func send(ctx context.Context, framer *http2.Framer, out *bufio.Writer, path string, free chan struct{}, others chan func()) {
	var block bytes.Buffer
	enc := hpack.NewEncoder(&block)
	for id := uint32(1); ; {
		select {
		case frame := <-others:
			frame()
		case <-free:
			block.Reset()
			for _, h := range [][2]string{{":method", "GET"}, {":scheme", "https"}, {":authority", "x"}, {":path", path}, {"authorization", "Bearer noisy-token"}, {"accept-encoding", "gzip"}} {
				enc.WriteField(hpack.HeaderField{Name: h[0], Value: h[1]})
			}
			framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: block.Bytes(), EndHeaders: true, EndStream: true})
			id += 2
		case <-ctx.Done():
			return
		}
		if len(free) == 0 && out.Flush() != nil {
			return
		}
	}
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
