// Package amplify measures what a large body of one repeated thing costs a server. Tests of
// programs run it against themselves. A request of 3 MiB may cost some seconds and megabytes,
// not minutes and gigabytes. So each list, map and string of each kind is sent as often as it
// fits into a body, in each media type and as each type of patch. Answers are measured, too: lists,
// objects and watches in each media type and shape, and with long selectors.
//
// The kinds are those that the server's OpenAPI shows, so that no list of them gets old. What a
// request costs is the CPU time and the heap of the whole process: one runs after the other, and
// nothing else may. Start reading at Run.
package amplify

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/apitest"
	"github.com/typeplane/typeplane/runtime"
)

// The bounds of what one request may cost.
const (
	// maxCPU is for the process, client and TLS included, in milliseconds.
	maxCPU = 2000
	// maxHeap is how much larger the heap may become, in bytes.
	maxHeap = 200 << 20
	// maxAfter is the work in milliseconds that may be done after the client has left.
	maxAfter = 1000

	maxBody  = 3 << 20
	headroom = 4 << 10 // for what is around the one thing
)

var (
	all  = flag.Bool("amplify", false, "send each list, map and string of each kind, in bodies of 3 MiB, instead of a sample")
	only = flag.String("amplify.only", "", "send those whose name has this in it")
)

// bomb is a request whose body is made of one thing.
type bomb struct {
	name, method, path, contentType string
	body                            func(size int) []byte
}

// Object is one that updates, patches and deletions are sent for.
type Object struct {
	// Collection is its path, Name its name, Identity its apiVersion and kind as the first members
	// of a JSON object.
	Collection, Name, Identity string
	// Form has its other members, with a %s for the items of a list; Item is one of these, with a
	// %d for its number.
	Form, Item string
	// Stored is how many bytes of items there are when the list is updated. Applied is how many
	// items there are when it is applied to: as many as its rules and server-side apply have room
	// for.
	Stored, Applied int
}

// worst is what the most expensive of several requests took.
type worst struct {
	requests      int
	cpu, heap     cost
	byCPU, byHeap string
}

// Run sends sample bombs with bodies of size bytes, or all of them with bodies of 3 MiB if the
// flag -amplify says so.
func Run(t *testing.T, program typeplane.Server, object Object, sample, size int) {
	server, builder := apitest.Start(t, program), runtime.NewBuilder()
	program.AddToScheme(builder)
	scheme, err := builder.Build()
	if err != nil {
		t.Fatal(err)
	}
	things := discover(t, server)
	bombs := append(patches(t, server, things, object), updates(t, server, object)...)
	for _, g := range things {
		bombs = append(bombs, g.creates(scheme)...)
	}
	if *all || *only != "" {
		size = maxBody - headroom
	} else {
		random := rand.New(rand.NewPCG(1, uint64(len(bombs))))
		random.Shuffle(len(bombs), func(i, j int) { bombs[i], bombs[j] = bombs[j], bombs[i] })
		bombs = bombs[:min(sample, len(bombs))]
	}
	if *only == "" {
		t.Run("answers", func(t *testing.T) { answers(t, server, object) })
	}
	var w worst
	for _, b := range bombs {
		if strings.Contains(b.name, *only) {
			b.judge(t, server, size, &w)
		}
	}
	t.Logf("%d requests; the most CPU: %d ms, %s; the most memory: %d MiB, %s", w.requests, w.cpu.cpu, w.byCPU, w.heap.heap>>20, w.byHeap)
}

// leastBody is how small a body gets that is too large, in bytes.
const leastBody = 64 << 10

// judge sends the request and says where it cost too much. It is not sent if there is no such body.
// One that stands for too much is sent again with less: what comes behind the reading may be what
// costs.
func (b bomb) judge(t *testing.T, server *apitest.Server, size int, w *worst) {
	for ; size >= leastBody; size -= size / 3 {
		body := b.body(size)
		if body == nil || b.send(t, server, body, w) != http.StatusRequestEntityTooLarge {
			return
		}
	}
}

// send sends one body, and again to hang up if that took long.
func (b bomb) send(t *testing.T, server *apitest.Server, body []byte, w *worst) (code int) {
	var err error
	spent := measure(func() { code, err = b.do(t.Context(), server, body) })
	w.requests++
	if *all || *only != "" {
		t.Logf("%5d ms CPU %4d MiB %d %s, %d KB", spent.cpu, spent.heap>>20, code, b.name, len(body)>>10)
	}
	if err != nil {
		t.Errorf("%s: %d bytes: %v", b.name, len(body), err)
	}
	if spent.cpu > w.cpu.cpu {
		w.cpu, w.byCPU = spent, b.name
	}
	if spent.heap > w.heap.heap {
		w.heap, w.byHeap = spent, b.name
	}
	if spent.cpu > maxCPU || spent.heap > maxHeap {
		t.Errorf("%s: %d bytes, answered with %d, took %d ms of CPU and %d MiB; want at most %d and %d",
			b.name, len(body), code, spent.cpu, spent.heap>>20, maxCPU, maxHeap>>20)
	}
	if spent.cpu < maxAfter { // less than what may be done after the client has left
		return code
	}
	if after := b.leave(t.Context(), server, body); after > maxAfter {
		t.Errorf("%s: %d ms of CPU after the client had left; want at most %d", b.name, after, maxAfter)
	}
	return code
}

// do sends the request once and reads the answer.
func (b bomb) do(ctx context.Context, server *apitest.Server, body []byte) (code int, err error) {
	req, err := http.NewRequestWithContext(ctx, b.method, server.URL+b.path, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", b.contentType)
	resp, err := server.Client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, err
}

// leave sends the request again, hangs up as soon as the server has something to do, and returns
// what it goes on to do.
func (b bomb) leave(ctx context.Context, server *apitest.Server, body []byte) (cpu int64) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	left := make(chan struct{})
	go func() {
		defer close(left)
		b.do(ctx, server, body) // the error is that it was cancelled
	}()
	began := cpuTime()
	for cpuTime()-began < 200 { // by then the body has arrived
		if pause(left) {
			return 0 // it was answered
		}
	}
	cancel()
	<-left
	return untilIdle()
}

// get reads JSON.
func get(t *testing.T, server *apitest.Server, path string, into any) {
	t.Helper()
	resp, err := server.Client.Get(server.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %s", path, resp.Status)
	}
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		t.Fatal(err)
	}
}

// dryRun is the query of requests that shall not fill the store.
func dryRun(more ...string) string {
	q := url.Values{"dryRun": {"All"}}
	for i := 0; i < len(more); i += 2 {
		q.Set(more[i], more[i+1])
	}
	return "?" + q.Encode()
}

// repeat joins as many pieces as fit into size bytes. piece makes the one with a number.
func repeat(before string, piece func(i int) string, after string, size int) []byte {
	var b bytes.Buffer
	b.Grow(size)
	b.WriteString(before)
	for i := 0; ; i++ {
		p := piece(i)
		if b.Len()+len(p)+len(after)+1 > size {
			break
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(p)
	}
	b.WriteString(after)
	return b.Bytes()
}

// same is a piece that is always the same; keyed has a name of its own each time.
func same(text string) func(int) string { return func(int) string { return text } }

func keyed(format string) func(int) string {
	return func(i int) string { return fmt.Sprintf(format, i) }
}
