package console

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// chromium is the browser: the one of $CHROMIUM, or the first that is installed. A machine without
// one skips the test, and says so.
func chromium(t *testing.T) string {
	t.Helper()
	if named := os.Getenv("CHROMIUM"); named != "" {
		return named
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless-shell"} {
		if file, err := exec.LookPath(name); err == nil {
			return file
		}
	}
	t.Skip("SKIPPED: no Chromium was found on this machine, so nothing looks at the console; install Debian's chromium, or set CHROMIUM=file")
	return ""
}

// tab is a page of a browser of its own. What goes wrong in the page is noted, for good.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu     sync.Mutex // guards the following fields
	faults []string
	away   bool // the server does not answer, so failed requests are no faults
}

// meant matches errors in the browser's console that are answers of the server: it logs each.
var meant = regexp.MustCompile(`the server responded with a status of (403|404|409|422|501)`)

// open starts a browser at an address. Scripts run in the page before its own, with its rights. At
// the end of the test nothing may have gone wrong in the page.
func open(t *testing.T, address string, scripts ...string) *tab {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium(t)), chromedp.NoSandbox, chromedp.WindowSize(1280, 800), chromedp.UserDataDir(t.TempDir()),
		chromedp.IgnoreCertErrors, chromedp.Flag("disable-dev-shm-usage", true), chromedp.WSURLReadTimeout(hangs))
	allocated, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, closeTab := chromedp.NewContext(allocated)
	b := &tab{t: t, ctx: ctx}
	t.Cleanup(func() {
		chromedp.Cancel(ctx) // waits for the browser to end, as its files are removed next
		closeTab()
		stop()
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, fault := range b.faults {
			t.Error(fault)
		}
	})
	// Listen starts the browser, which lives as long as the context that it gets here.
	if err := chromedp.Listen(ctx, b.note); err != nil {
		t.Fatal(err)
	}
	call(b, log.Enable, cdp.Empty{})
	for _, script := range scripts {
		call(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
	}
	perform(b, chromedp.Navigate(address))
	return b
}

func (b *tab) note(event any) {
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		what := e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			what += " " + e.ExceptionDetails.Exception.Description
		}
		b.fault("a script has failed: " + what)
	case *log.EventEntryAdded:
		b.mu.Lock()
		away := b.away
		b.mu.Unlock()
		if e.Entry.Level == log.EntryLevelError && !away && !meant.MatchString(e.Entry.Text) {
			b.fault("the browser says: " + e.Entry.Text + " " + e.Entry.URL)
		}
	case *page.EventJavascriptDialogOpening:
		b.fault("a script of an object has run: " + e.Message)
		go chromedp.Call(b.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{})
	}
}

func (b *tab) fault(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faults = append(b.faults, text)
}

// perform does what is asked, in the time after which it is taken to hang.
func perform[T any](b *tab, action chromedp.Action[T]) T {
	b.t.Helper()
	out, err := try(b, action)
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

func try[T any](b *tab, action chromedp.Action[T]) (T, error) {
	ctx, cancel := context.WithTimeout(b.ctx, hangs)
	defer cancel()
	return chromedp.Run(ctx, action)
}

// call runs a command of the DevTools protocol.
func call[P, R any](b *tab, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	return perform(b, func(ctx context.Context, target *chromedp.Target) (R, error) {
		return cdp.Call(ctx, target, command, params)
	})
}

// eval returns what an expression is in the page, and waits for it if it is a promise.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	return perform(b, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// act runs a script that is of no value.
func (b *tab) act(script string) {
	b.t.Helper()
	eval[bool](b, script+"; true")
}

// until waits for an expression to be true. It asks again and again from here: the policy of the
// page lets nobody make a function of a text there.
func (b *tab) until(expression string) {
	b.t.Helper()
	for end := time.Now().Add(hangs); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		is, err := try(b, chromedp.Evaluate[bool]("Boolean("+expression+")", chromedp.EvalAwaitPromise))
		switch {
		case err != nil && !strings.Contains(err.Error(), "navigated"): // a page that is on its way to another is asked again
			b.t.Fatal(err)
		case is:
			return
		}
	}
	b.t.Fatalf("waited for %s; the page is at %s and says\n%s", expression, eval[string](b, "location.hash"), eval[string](b, "document.body.innerText"))
}

// holds waits for an element that has a text.
func (b *tab) holds(selector, text string) {
	b.t.Helper()
	b.until(`[...document.querySelectorAll(` + quote(selector) + `)].some((each) => each.textContent.includes(` + quote(text) + `))`)
}

// goTo changes what stands behind the # of the address.
func (b *tab) goTo(hash string) {
	b.t.Helper()
	b.act("location.hash = " + quote(hash))
}

// press clicks on the button with a text, once it is there.
func (b *tab) press(text string) {
	b.t.Helper()
	found := `[...document.querySelectorAll('button')].find((each) => each.textContent === ` + quote(text) + ` && !each.disabled)`
	b.until(found + " !== undefined")
	b.act(found + ".click()")
}

// quote is a text as JavaScript.
func quote(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err) // strings always become JSON
	}
	return string(data)
}

// typeOver writes over a text in the editor, which is in a shadow tree. The mouse chooses the text.
func (b *tab) typeOver(from, to string) {
	b.t.Helper()
	found := `[...document.querySelector('.editor')?.shadowRoot?.querySelectorAll('.cm-line') ?? []].find((each) => each.textContent.includes(` + quote(from) + `))`
	b.until(found)
	at := eval[struct{ Left, Right, Y float64 }](b, `(() => {
		const line = `+found+`
		line.scrollIntoView({ block: 'center' })
		const place = (offset) => {
			const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT)
			for (let node = texts.nextNode(); ; offset -= node.length, node = texts.nextNode()) {
				if (offset <= node.length) return [node, offset]
			}
		}
		const start = line.textContent.indexOf(`+quote(from)+`)
		const range = document.createRange()
		range.setStart(...place(start))
		range.setEnd(...place(start + `+strconv.Itoa(len(from))+`))
		const { left, right, top, height } = range.getBoundingClientRect()
		return { Left: left, Right: right, Y: top + height / 2 }
	})()`)
	perform(b, chromedp.MouseEvent(chromedp.MousePressed, at.Left, at.Y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
	perform(b, chromedp.MouseEvent(chromedp.MouseMoved, at.Right, at.Y, chromedp.ButtonLeft))
	perform(b, chromedp.MouseEvent(chromedp.MouseReleased, at.Right, at.Y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
	call(b, input.InsertText, input.InsertTextParams{Text: to})
}

// click clicks on the first element that a selector finds.
func (b *tab) click(selector string) {
	b.t.Helper()
	b.act("document.querySelector(" + quote(selector) + ").click()")
}
