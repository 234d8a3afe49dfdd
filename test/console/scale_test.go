package console

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/performance"

	"github.com/typeplane/typeplane/internal/testserver"
)

var (
	objects  = flag.Int("objects", 0, "how many objects the table of TestMany has; 0 leaves the test out")
	changing = flag.Int("changing", 0, "how many objects TestLive has; 0 leaves the test out")
	rate     = flag.Int("rate", 100, "how many of them are changed in a second")
	changes  = flag.Duration("for", time.Minute, "for how long they are changed")
)

// The bounds are far above what was measured on two busy cores. A page that falls behind, or that
// keeps what it has shown, would come to far more.
const (
	mostHeapOf   = 1500                    // bytes of the page's heap for each object
	mostHeapBase = 40 << 20                // and for all else
	mostStall    = 1500 * time.Millisecond // the longest time without a picture
	mostLag      = 2 * time.Second         // from the answer to a write to the picture of it, of 99 in 100
)

// fill makes objects, several at a time.
func fill(t *testing.T, server *testserver.Process, space string, n int) {
	t.Helper()
	if _, err := send(t.Context(), server, http.MethodPost, "/api/v1/namespaces", namespace(space)); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	next := make(chan int)
	var group sync.WaitGroup
	for range 32 {
		group.Go(func() {
			for i := range next {
				if _, err := send(t.Context(), server, http.MethodPost, books(space), book(bookName(i), "0")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	group.Wait()
	if t.Failed() {
		t.FailNow()
	}
	t.Logf("%d objects were made in %v", n, time.Since(began).Round(time.Second))
}

func bookName(i int) string { return fmt.Sprintf("book-%06d", i) }

// pace notes the longest time between two pictures of the page, and tasks of more than 50 ms.
const pace = `
	window.pace = { longest: 0, tasks: 0, longestTask: 0, reset() { this.longest = this.tasks = this.longestTask = 0; this.last = performance.now() } }
	pace.reset()
	requestAnimationFrame(function picture(now) {
		pace.longest = Math.max(pace.longest, now - pace.last)
		pace.last = now
		requestAnimationFrame(picture)
	})
	new PerformanceObserver((list) => {
		for (const task of list.getEntries()) { pace.tasks++; pace.longestTask = Math.max(pace.longestTask, task.duration) }
	}).observe({ type: 'longtask' })
`

// smoothness is what pace has noted since it was reset, in milliseconds.
type smoothness struct{ Longest, LongestTask, Tasks float64 }

func (s smoothness) String() string {
	return fmt.Sprintf("longest time without a picture %.0f ms, %.0f tasks of more than 50 ms, the longest %.0f ms", s.Longest, s.Tasks, s.LongestTask)
}

func paceOf(b *tab) smoothness {
	b.t.Helper()
	return eval[smoothness](b, "({ Longest: pace.longest, LongestTask: pace.longestTask, Tasks: pace.tasks })")
}

func (s smoothness) check(t *testing.T, what string) {
	t.Helper()
	t.Logf("%s: %v", what, s)
	if s.Longest > float64(mostStall.Milliseconds()) {
		t.Errorf("%s: the page stood still for %.0f ms, want at most %v", what, s.Longest, mostStall)
	}
}

// heap is how much the page keeps, after its garbage was collected.
func heap(b *tab) int {
	b.t.Helper()
	call(b, performance.Enable, performance.EnableParams{})
	call(b, heapprofiler.CollectGarbage, cdp.Empty{})
	for _, metric := range call(b, performance.GetMetrics, cdp.Empty{}).Metrics {
		if metric.Name == "JSHeapUsedSize" {
			return int(metric.Value)
		}
	}
	b.t.Fatal("the browser does not say how large its heap is")
	return 0
}

func checkHeap(t *testing.T, what string, bytes, objects int) {
	t.Helper()
	most := mostHeapBase + mostHeapOf*objects
	t.Logf("%s: the heap has %.1f MB, %d bytes for each of %d objects", what, float64(bytes)/1e6, bytes/max(1, objects), objects)
	if bytes > most {
		t.Errorf("%s: the heap has %d bytes, want at most %d", what, bytes, most)
	}
}

// TestMany scrolls through a table from the first row to the last, a screen at a time.
func TestMany(t *testing.T) {
	if *objects == 0 {
		t.Skip("-objects says how many; make console-scale does")
	}
	chromium(t)
	program := library(t)
	server := start(t, program)
	fill(t, server, "many", *objects)
	b := open(t, openConsole(t, program, server.Kubeconfig), pace)
	b.holds(".cards a", "Book")

	began := time.Now()
	b.goTo(booksList + "?namespace=many")
	b.holds(".line", bookName(0))
	t.Logf("first rows after %v", time.Since(began).Round(time.Millisecond))
	b.act("pace.reset()")
	began = time.Now()
	steps := eval[int](b, scroll)
	t.Logf("scrolled through %d rows in %d steps and %v", *objects, steps, time.Since(began).Round(time.Millisecond))
	b.holds(".line", bookName(*objects-1))
	paceOf(b).check(t, "scrolling")
	if lines := eval[int](b, "document.querySelectorAll('.lines .line').length"); lines > 80 {
		t.Errorf("%d lines are in the page, want those in sight", lines)
	}
	checkHeap(t, "all rows read", heap(b), *objects)

	b.act("pace.reset()")
	began = time.Now()
	b.goTo(booksList + "?namespace=many&text=" + bookName(*objects/2))
	b.until("document.querySelectorAll('.lines .line').length === 1")
	t.Logf("one of %d rows found by its text after %v", *objects, time.Since(began).Round(time.Millisecond))
	paceOf(b).check(t, "finding")
}

// scroll goes on by a screen when the rows of one have been read, until there are no more.
const scroll = `(async () => {
	const box = document.querySelector('.grid')
	const picture = () => new Promise(requestAnimationFrame)
	let steps = 0
	while (box.scrollTop + box.clientHeight < box.scrollHeight - 1) {
		box.scrollTop += box.clientHeight * 8
		for (await picture(); box.querySelector('.unread'); ) await picture()
		steps++
	}
	return steps
})()`

// watched notes when each text of the first row came into a picture.
const watched = `(() => {
	window.seen = {}
	const look = () => {
		const title = document.querySelector('[data-row="0"]')?.closest('.line').children[1].textContent
		if (title && !(title in seen)) seen[title] = Date.now()
		requestAnimationFrame(look)
	}
	look()
})()`

// TestLive changes objects at a steady rate: one by chance, and every tenth time the first one,
// which is in sight. Its title is the number of the change. So the time between the server's
// answer and the picture is how far the page is behind.
func TestLive(t *testing.T) {
	if *changing == 0 {
		t.Skip("-changing says how many objects; make console-scale does")
	}
	chromium(t)
	program := library(t)
	server := start(t, program)
	fill(t, server, "live", *changing)
	b := open(t, openConsole(t, program, server.Kubeconfig), pace)
	b.holds(".cards a", "Book")
	b.goTo(booksList + "?namespace=live")
	b.holds(".line", bookName(0))
	eval[int](b, scroll)
	b.holds(".line", bookName(*changing-1))
	b.act("document.querySelector('.grid').scrollTop = 0")
	b.holds(".line", bookName(0))
	before := heap(b)
	checkHeap(t, "before the changes", before, *changing)
	last := map[int]int{} // the number of the last change of each object
	b.keepsUp(server, last, "all rows shown", *changes)
	b.goTo(booksList + "?namespace=live&text=" + bookName(0))
	b.until("document.querySelectorAll('.lines .line').length === 1")
	b.keepsUp(server, last, "one row found by its text", *changes/4)
	b.goTo(booksList + "?namespace=live")
	b.holds(".line", bookName(1))
	after := heap(b)
	checkHeap(t, "after the changes", after, *changing)
	sameAsServer(t, b, server, last)
}

// keepsUp changes objects for a time, and wants the page to show what happens to the first one.
func (b *tab) keepsUp(server *testserver.Process, last map[int]int, what string, during time.Duration) {
	t := b.t
	t.Helper()
	b.act(watched)
	b.act("pace.reset()")
	answered := changeFor(t, server, last, during)
	end := slices.Max(slices.Collect(maps.Keys(answered)))
	b.until("seen[" + quote(strconv.Itoa(end)) + "] !== undefined")
	paceOf(b).check(t, what)
	seen := eval[map[string]float64](b, "seen")
	var lags []time.Duration
	for n, at := range answered {
		if picture, ok := seen[strconv.Itoa(n)]; ok {
			lags = append(lags, time.UnixMilli(int64(picture)).Sub(at))
		}
	}
	slices.SortFunc(lags, cmp.Compare)
	lag := func(of float64) time.Duration { return lags[int(of*float64(len(lags)-1))].Round(time.Millisecond) }
	t.Logf("%s: %d of %d changes in sight were in a picture, behind the answer by: median %v, 99%% %v, most %v", what, len(lags), len(answered), lag(.5), lag(.99), lag(1))
	if lag(.99) > mostLag {
		t.Errorf("%s: the page is %v behind, want at most %v", what, lag(.99), mostLag)
	}
}

// changeNumber is that of the last change, of all that the test makes.
var changeNumber int

// changeFor changes objects for a time. It returns when each change of the first one was answered.
func changeFor(t *testing.T, server *testserver.Process, last map[int]int, during time.Duration) map[int]time.Time {
	t.Helper()
	answered := map[int]time.Time{}
	var mu sync.Mutex // guards answered and last
	var group sync.WaitGroup
	free := make([]sync.Mutex, *changing) // one change of an object at a time, so that they have an order
	began, number := time.Now(), 0
	for every := time.Second / time.Duration(*rate); time.Since(began) < during; number++ {
		time.Sleep(time.Until(began.Add(time.Duration(number) * every)))
		changeNumber++
		n, object := changeNumber, rand.IntN(*changing)
		if n%10 == 0 {
			object = 0
		}
		group.Go(func() {
			free[object].Lock()
			defer free[object].Unlock()
			patch := map[string]any{"spec": map[string]any{"title": strconv.Itoa(n)}}
			if _, err := send(t.Context(), server, http.MethodPatch, books("live")+"/"+bookName(object), patch); err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			if last[object] = n; object == 0 {
				answered[n] = time.Now()
			}
		})
	}
	group.Wait()
	t.Logf("%d changes in %v, %.0f in a second", number, time.Since(began).Round(time.Millisecond), float64(number)/time.Since(began).Seconds())
	if t.Failed() {
		t.FailNow()
	}
	return answered
}

// screens reads the titles of the next hundred screens, from the picture of each.
const screens = `(async () => {
	const box = document.querySelector('.grid')
	const Titles = {}
	for (let i = 0; i < 100; i++, box.scrollTop += box.clientHeight) {
		await new Promise(requestAnimationFrame)
		await new Promise(requestAnimationFrame)
		for (const line of box.querySelectorAll('.lines .line')) Titles[line.children[0].textContent] = line.children[1].textContent
		if (box.scrollTop + box.clientHeight >= box.scrollHeight - 1) return { Titles, More: false }
	}
	return { Titles, More: true }
})()`

// sameAsServer compares every row of the page with the server's objects.
func sameAsServer(t *testing.T, b *tab, server *testserver.Process, last map[int]int) {
	t.Helper()
	titles := map[string]string{}
	b.act("document.querySelector('.grid').scrollTop = 0")
	for more := true; more; {
		part := eval[struct {
			Titles map[string]string
			More   bool
		}](b, screens)
		maps.Copy(titles, part.Titles)
		more = part.More
	}
	answer, err := send(t.Context(), server, http.MethodGet, books("live"), nil)
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Items []struct {
			Metadata struct{ Name string }
			Spec     struct{ Title string }
		}
	}
	if err := json.Unmarshal(answer, &list); err != nil {
		t.Fatal(err)
	}
	var wrong []string
	for _, item := range list.Items {
		if got := titles[item.Metadata.Name]; got != item.Spec.Title {
			wrong = append(wrong, fmt.Sprintf("%s is %q, want %q", item.Metadata.Name, got, item.Spec.Title))
		}
	}
	t.Logf("%d rows compared with the server, %d objects of which were changed", len(list.Items), len(last))
	if len(wrong) > 0 || len(list.Items) != *changing {
		t.Errorf("of %d rows %d are not as the server has them:\n%s", len(list.Items), len(wrong), strings.Join(wrong[:min(10, len(wrong))], "\n"))
	}
}
