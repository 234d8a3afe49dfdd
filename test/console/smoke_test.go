package console

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const booksList = "#/list/library.example.com/v1/books"

// TestSmoke does in seconds what people do most: look, see a change, edit, delete.
func TestSmoke(t *testing.T) {
	chromium(t)
	program := library(t)
	server := start(t, program)
	b := open(t, openConsole(t, program, server.Kubeconfig))
	do := func(method, path string, body any) string {
		t.Helper()
		answer, err := send(t.Context(), server, method, path, body)
		if err != nil {
			t.Fatal(err)
		}
		return string(answer)
	}

	b.holds(".cards a", "Book")
	b.goTo(booksList)
	b.holds(".state", "live")

	hostile := "<img src=x onerror=alert(1)><script>alert(2)</script>"
	do(http.MethodPost, books("default"), book("seen", hostile))
	b.holds(".line", hostile)
	if made := eval[int](b, "document.querySelectorAll('main img, main script').length"); made != 0 {
		t.Errorf("a title has made %d elements", made)
	}
	do(http.MethodPatch, books("default")+"/seen", map[string]any{"spec": map[string]any{"title": "Second words", "copies": 2}})
	b.holds(".line", "Second words")

	b.goTo("#/object/library.example.com/v1/books/default/seen?tab=edit")
	b.typeOver("copies: 2", "copies: -2")
	b.press("Review")
	b.holds(".problem li", "spec.copies")
	b.typeOver("copies: -2", "copies: 7")
	b.press("Review")
	b.holds(".diff .added", "copies: 7")
	b.press("Apply")
	b.holds(".yaml li", "copies: 7")
	if kept := do(http.MethodGet, books("default")+"/seen", nil); !strings.Contains(kept, `"copies":7`) {
		t.Errorf("what was applied is not kept: %s", kept)
	}

	b.press("Delete…")
	b.holds("dialog", "Nothing that you may read depends on it.")
	b.click("dialog .danger")
	b.holds(".empty", "There is none in default.")

	b.click("a[href^='#/new/']")
	b.typeOver("name:", "name: newborn")
	b.typeOver("pec:", "pec: {title: The Newborn}") // over a whole line, Chromium would keep the line's colour in a style, which the policy forbids
	b.press("Review")
	b.holds(".steps li", "SortTitle: Newborn")
	b.press("Create")
	b.holds("h1", "newborn")

	b.goTo("#/run")
	b.holds("[aria-label=Checks] td", "etcd")
	b.holds("[aria-label='What is stored, and what is left to migrate'] td", "books.library.example.com")
	b.holds("[aria-label='Requests and watches'] td", "WATCH")
	b.holds("[aria-label='Requests that wait or are answered, by user'] td", "admin")
	b.holds("[aria-label='The end of the audit log']", "It can’t be seen from here")
	b.goTo("#/me")
	b.holds("h1", "admin")
}

// TestSignIn: the page of the server itself is behind a login. Who signs in has their own rights,
// and an address that somebody has sent leads there.
func TestSignIn(t *testing.T) {
	chromium(t)
	program := library(t)
	tokens := filepath.Join(t.TempDir(), "tokens.csv")
	if err := os.WriteFile(tokens, []byte("a-token,ada,1\nb-token,grace,2,system:masters\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	server := start(t, program, "--console", "--token-auth-file", tokens)
	b := open(t, server.URL+"/console/"+booksList)
	signIn := func(token string) {
		t.Helper()
		b.until("document.querySelector('#token') !== null")
		b.act("document.querySelector('#token').value = " + quote(token))
		b.click("button")
	}
	signIn("a-guess")
	b.holds(".problem", "The server does not know this credential.")
	signIn("a-token")
	b.holds(".problem", `User "ada" cannot list resource "books"`)
	b.holds(".side .me", "ada")
	if kept := eval[string](b, "document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)"); kept != "{}{}" {
		t.Errorf("scripts can read %s", kept)
	}
	b.goTo("#/run")
	b.holds(".problem", "You may not read /metrics.It needs a role with the verb get for the nonResourceURL /metrics.")
	b.press("Sign out")
	signIn("b-token")
	b.holds(".side .me", "grace")
	b.goTo("#/object/core/v1/namespaces/-/default?tab=disk")
	b.holds(".problem", "a server shows no bytes in its own console")
}
