package console

import (
	"net/http"
	"testing"
)

// held holds back the pages of a list after the first one, until the page calls letPages.
const held = `
	const ask = window.fetch
	let gate
	window.holdPages = () => { gate = new Promise((open) => { window.letPages = open }) }
	holdPages()
	window.fetch = async (url, init) => {
		if (String(url).includes('continue=')) await gate
		return ask(url, init)
	}
`

// TestPartial: a list that was read in part shows that, and counts each object once.
func TestPartial(t *testing.T) {
	chromium(t)
	program := library(t)
	server := start(t, program)
	fill(t, server, "many", 1100)
	b := open(t, openConsole(t, program, server.Kubeconfig), held)
	do := func(method, name string, body any) {
		t.Helper()
		if _, err := send(t.Context(), server, method, books("many")+"/"+name, body); err != nil {
			t.Fatal(err)
		}
	}

	b.goTo(booksList + "?namespace=many&text=book-00109")
	b.holds(".about", "0 so far, in 500 of 1,100")
	b.holds(".state", "searching")
	if eval[bool](b, "document.querySelector('.empty') !== null") {
		t.Error("the page shows that nothing fits, before all objects were searched")
	}
	b.act("letPages()")
	b.holds(".about", "10 of 1,100")
	b.holds(".state", "live")

	b.act("holdPages()")
	b.goTo(booksList + "?namespace=many&labels=!none") // for which a server does not count the rest
	b.holds(".about", "more than 500 objects")
	b.act("letPages()")

	b.act("holdPages()")
	b.goTo(booksList + "?namespace=many")
	b.holds(".about", "1,100 objects")
	b.holds(".state", "live")
	do(http.MethodPatch, "book-001050", map[string]any{"spec": map[string]any{"title": "changed"}})
	do(http.MethodDelete, "book-001051", nil)
	do(http.MethodPatch, bookName(0), map[string]any{"spec": map[string]any{"title": "changed last"}})
	b.holds(".line", "changed last")
	b.holds(".about", "1,099 objects")
	b.act("letPages()")
}

// TestAway: after the connection to the server was lost, the page does not claim that there is
// nothing, or that a write was not done.
func TestAway(t *testing.T) {
	chromium(t)
	program := library(t)
	server := start(t, program)
	if _, err := send(t.Context(), server, http.MethodPost, books("default"), book("seen", "Seen")); err != nil {
		t.Fatal(err)
	}
	b := open(t, openConsole(t, program, server.Kubeconfig))
	b.goTo("#/object/library.example.com/v1/books/default/seen?tab=edit")
	b.typeOver("copies: 1", "copies: 2")
	b.press("Review")
	b.holds(".diff .added", "copies: 2")
	b.mu.Lock()
	b.away = true
	b.mu.Unlock()
	server.Kill()

	b.press("Apply")
	b.holds(".problem", "It is not known whether it was written")
	b.goTo("#/object/library.example.com/v1/books/default/seen")
	b.holds(".state", "not live")
	b.press("Delete…")
	b.holds("dialog .problem", "It is not known what depends on it.")
	b.click("dialog .danger")
	b.holds("dialog .problem", "It is not known whether it was deleted.")
	b.press("Keep it")

	b.goTo("#/list/library.example.com/v1/shelves")
	b.holds(".problem", "Shelf can’t be read right now.")
	b.holds(".about", "How many there are is not known.")
	if eval[bool](b, "document.querySelector('.empty, .grid') !== null") {
		t.Error("the page shows a list that it does not know")
	}
}

// ownLast is a server that lists the group of its own kinds behind all others, as the projects of
// gen init do.
const ownLast = `
	const ask = window.fetch
	window.fetch = async (url, init) => {
		const answer = await ask(url, init)
		if (!/server\/apis$/.test(String(url))) return answer
		const list = await answer.json()
		return Response.json({ ...list, items: list.items.sort((a, b) => (a.metadata.name === 'library.example.com') - (b.metadata.name === 'library.example.com')) })
	}
`

// TestOwnGroups: the groups of the program's own kinds are the first in the menu and on the first
// page.
func TestOwnGroups(t *testing.T) {
	chromium(t)
	program := library(t)
	server := start(t, program)
	b := open(t, openConsole(t, program, server.Kubeconfig), ownLast)
	b.holds(".cards a", "Book")
	for _, list := range []string{"#side h2", "main h2"} {
		groups := eval[[]string](b, "[...document.querySelectorAll("+quote(list)+")].map((each) => each.textContent)")
		if len(groups) < 3 || groups[0] != "library.example.com" || groups[1] != "core" {
			t.Errorf("%s: %q, want library.example.com, core, and the rest of the server's groups", list, groups)
		}
	}
}

// expired answers the first request for a page that its list has expired, and holds the next list
// back until the page calls letList.
const expired = `
	const ask = window.fetch
	window.gone = false
	const gate = new Promise((open) => { window.letList = open })
	window.fetch = async (url, init) => {
		const of = (name) => String(url).includes(name)
		if (!of('/books?')) return ask(url, init)
		if (of('continue=') && !window.gone) {
			window.gone = true
			return Response.json({ kind: 'Status', code: 410, message: 'expired' }, { status: 410 })
		}
		if (window.gone && !of('continue=') && !of('watch=')) await gate
		return ask(url, init)
	}
`

// TestExpiredPages: if the rest of a list has expired, the rows that were read are no answer.
func TestExpiredPages(t *testing.T) {
	chromium(t)
	program := library(t)
	server := start(t, program)
	fill(t, server, "many", 600)
	b := open(t, openConsole(t, program, server.Kubeconfig), expired)
	b.goTo(booksList + "?namespace=many&text=book-00000")
	b.until("window.gone")
	b.holds(".about", "Reading…")
	b.holds(".state", "reading")
	b.act("letList()")
	b.holds(".about", "10 of 600")
	b.holds(".state", "live")
}

// silent is a watch without events, which the page breaks by breakWatch.
const silent = `
	const ask = window.fetch
	window.fetch = async (url, init) => {
		if (!String(url).includes('watch=')) return ask(url, init)
		return new Response(new ReadableStream({ start(stream) { window.breakWatch = () => stream.error(new TypeError('broken')) } }))
	}
`

// TestDeletedUnseen: an object that was deleted while its watch was broken is shown as deleted.
func TestDeletedUnseen(t *testing.T) {
	chromium(t)
	program := library(t)
	server := start(t, program)
	at := books("default") + "/seen"
	if _, err := send(t.Context(), server, http.MethodPost, books("default"), book("seen", "Seen")); err != nil {
		t.Fatal(err)
	}
	b := open(t, openConsole(t, program, server.Kubeconfig), silent)
	b.goTo("#/object/library.example.com/v1/books/default/seen")
	b.holds(".state", "live")
	b.until("window.breakWatch !== undefined")
	if _, err := send(t.Context(), server, http.MethodDelete, at, nil); err != nil {
		t.Fatal(err)
	}
	b.act("breakWatch()")
	b.holds(".state", "deleted")
	b.holds(".problem", "It was deleted.")
}
