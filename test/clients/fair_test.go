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
	fairFor    = flag.Duration("fair", 500*time.Millisecond, "how long each part of TestFairness lasts")
	fairRounds = flag.Int("fairrounds", 1, "how often TestFairness compares a quiet user alone with the same user beside noise")
	fairTimes  = flag.Float64("fairtimes", 0, "how many times longer the 99th percentile of the quiet user may be beside noise; 0 is no bound, as on a machine that does other things")
	fairKinds  = flag.String("fairkinds", "gets,lists,resets,slow headers", "the kinds of noise")
	fairProbe  = flag.String("fairprobe", "", "debug")
)

// TestFairness lets a quiet user work beside a noisy one, who asks for fifty times the seats that
// are a fair share, and beside strangers who misuse connections. Every request of the quiet user is
// answered, while the noisy one is refused some. The times of the quiet user are compared with
// those of the user alone.
//
// With a bound the server has one processor, and its clients another. So nobody waits for a processor that
// somebody else's program has, and the noise is as loud as the server bears.
func TestFairness(t *testing.T) {
	apart := *fairTimes > 0
	if apart {
		t.Setenv("GOMAXPROCS", "1")
	}
	dir := t.TempDir()
	tokens, policy, log := filepath.Join(dir, "tokens"), filepath.Join(dir, "policy"), filepath.Join(dir, "audit")
	must(t, os.WriteFile(tokens, []byte("quiet-token,quiet,1\nnoisy-token,noisy,2\n"), 0o600))
	must(t, os.WriteFile(policy, []byte("apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules:\n- {level: Metadata, users: [quiet]}\n- {level: None}\n"), 0o600))
	s := start(t, "library", "--token-auth-file", tokens, "--authorization-mode", "AlwaysAllow", "--audit-policy-file", policy, "--audit-log-path", log)
	if apart {
		pin(t, s.Cmd.Process.Pid, "0")
		pin(t, os.Getpid(), "1")
		if os.Getenv("FAIR_RT") != "" {
			exec.Command("chrt", "-a", "-r", "-p", "1", strconv.Itoa(s.Cmd.Process.Pid)).Run()
			exec.Command("chrt", "-a", "-r", "-p", "2", strconv.Itoa(os.Getpid())).Run()
		}
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
	quiet, err := rest.HTTPClientFor(s.with(func(c *rest.Config) {
		c.BearerToken, c.CertData, c.KeyData, c.CertFile, c.KeyFile = "quiet-token", nil, nil, "", ""
	}))
	must(t, err)
	times := &audited{t: t, file: log}
	measure := func(name string) figures {
		waited, on := delay(s.Cmd.Process.Pid)
		begun := time.Now()
		defer func() {
			w, o := delay(s.Cmd.Process.Pid)
			t.Logf("%s: server on cpu %.2f, waited for cpu %v", name, (o-on).Seconds()/time.Since(begun).Seconds(), w-waited)
		}()
		var seen []time.Duration
		for begun := time.Now(); time.Since(begun) < *fairFor; {
			asked := time.Now()
			resp, err := quiet.Get(s.config.Host + bookPath + "/b0001")
			must(t, err)
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			seen = append(seen, time.Since(asked))
			if resp.StatusCode != http.StatusOK {
				t.Errorf("%s: the quiet user got %s", name, resp.Status)
			}
			time.Sleep(2 * time.Millisecond)
		}
		all := times.next(len(seen))
		slices.Sort(seen)
		return figures{all[len(all)/2], all[len(all)*99/100], seen[len(seen)/2], seen[len(seen)*99/100]}
	}
	measure("warm")
	for _, noise := range strings.Split(*fairKinds, ",") {
		t.Run(noise, func(t *testing.T) {
			before := measure("alone")
			var ratios, cratios []float64
			for range *fairRounds {
				cmd := exec.Command("chrt", "-o", "0", "nice", "-n", os.Getenv("FAIR_NICE"), os.Args[0])
				cmd.Env = append(os.Environ(), "TYPEPLANE_NOISE="+noise, "TYPEPLANE_NOISE_AT="+s.config.Host)
				cmd.Stderr = os.Stderr
				stdin, err := cmd.StdinPipe() // it ends with us
				must(t, err)
				stdout, err := cmd.StdoutPipe()
				must(t, err)
				must(t, cmd.Start())
				time.Sleep(500 * time.Millisecond)
				if *fairProbe != "" {
					go exec.Command("sh", "-c", fmt.Sprintf(*fairProbe, s.Cmd.Process.Pid)).Run()
				}
				beside := measure(noise)
				stdin.Close()
				said, _ := io.ReadAll(stdout)
				_ = cmd.Wait()
				time.Sleep(500 * time.Millisecond)
				after := measure("alone")
				t.Logf("alone %s %s beside %s; %s", before, after, beside, said)
				ratios = append(ratios, 2*float64(beside.p99)/float64(before.p99+after.p99))
				cratios = append(cratios, 2*float64(beside.c99)/float64(before.c99+after.c99))
				before = after
				if (noise == "gets" || noise == "lists") && !strings.Contains(string(said), "429:") {
					t.Errorf("the noisy user was refused nothing, so this shows nothing: %s", said)
				}
			}
			slices.Sort(ratios)
			slices.Sort(cratios)
			t.Logf("ratios server %.1f client %.1f", ratios, cratios)
			drill.Overload.Count("noises", 1)
			drill.Overload.Times("p99 of a quiet user, times alone", ratios[len(ratios)/2])
		})
	}
}

func delay(pid int) (sum, ran time.Duration) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	for _, f := range files {
		data, _ := os.ReadFile(f)
		var on, wait int64
		fmt.Sscan(string(data), &on, &wait)
		sum += time.Duration(wait)
		ran += time.Duration(on)
	}
	return sum, ran
}

type figures struct{ p50, p99, c50, c99 time.Duration }

func (f figures) String() string {
	return fmt.Sprintf("server %v %v client %v %v;", f.p50, f.p99, f.c50, f.c99)
}

// pin gives a process one processor.
func pin(t *testing.T, pid int, cpu string) {
	t.Helper()
	out, err := exec.Command("taskset", "-a", "-c", "-p", cpu, strconv.Itoa(pid)).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
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
	asked := &flood{codes: map[string]int{}}
	switch kind {
	case "gets":
		repeat(5, func() { asked.run(ctx, s, bookPath+"/b0000", 50*share/5) })
	case "lists":
		repeat(5, func() { asked.run(ctx, s, bookPath, 50*share/5) })
	case "connections":
		repeat(50*share, func() { asked.run(ctx, s, bookPath+"/b0000", 1) })
	case "handshakes":
		repeat(50, func() {
			if raw := s.dial(ctx); raw != nil {
				tls.Client(raw, &tls.Config{InsecureSkipVerify: true}).Handshake()
				raw.Close()
			}
		})
	case "resets":
		repeat(8, func() { streams(true)(ctx, s) })
	case "slow headers":
		repeat(50, func() { slowHeaders(ctx, s) })
	}
	all.Wait()
	fmt.Printf("noise: %v", asked.codes)
	return 0
}

// flood asks as fast as a server can answer. It works with frames, so that it costs less than the
// server.
type flood struct {
	mu    sync.Mutex
	codes map[string]int // answers
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
	free, acks := make(chan struct{}, atOnce), make(chan func(), 100)
	for range atOnce {
		free <- struct{}{}
	}
	go func() {
		var block bytes.Buffer
		enc := hpack.NewEncoder(&block)
		for id := uint32(1); ; id += 2 {
			select {
			case ack := <-acks:
				ack()
				id -= 2
			case <-free:
				block.Reset()
				for _, h := range [][2]string{{":method", "GET"}, {":scheme", "https"}, {":authority", "x"}, {":path", path}, {"authorization", "Bearer noisy-token"}, {"accept-encoding", "gzip"}} {
					enc.WriteField(hpack.HeaderField{Name: h[0], Value: h[1]})
				}
				framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: block.Bytes(), EndHeaders: true, EndStream: true})
			case <-ctx.Done():
				return
			}
			if len(free) == 0 || out.Available() < 200 {
				if out.Flush() != nil {
					return
				}
			}
		}
	}()
	refused := map[uint32]bool{}
	got := 0
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			return
		}
		ended := false
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			if !frame.IsAck() {
				acks <- func() { framer.WriteSettingsAck() }
			}
		case *http2.MetaHeadersFrame:
			f.mu.Lock()
			f.codes[frame.PseudoValue("status")]++
			f.mu.Unlock()
			if frame.PseudoValue("status") == "429" {
				refused[frame.StreamID] = true
			}
			ended = frame.StreamEnded()
		case *http2.DataFrame:
			if got += len(frame.Data()); got > 1<<28 {
				n := uint32(got)
				acks <- func() { framer.WriteWindowUpdate(0, n) }
				got = 0
			}
			ended = frame.StreamEnded()
		case *http2.RSTStreamFrame:
			ended = true
		}
		switch {
		case !ended:
		case refused[frame.Header().StreamID]:
			delete(refused, frame.Header().StreamID)
			time.AfterFunc(100*time.Millisecond, func() { free <- struct{}{} })
		default:
			free <- struct{}{}
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
