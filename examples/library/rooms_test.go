package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/apitest"
)

// TestRooms reads the virtual resource rooms, and changes a shelf whose rule reads books.
func TestRooms(t *testing.T) {
	server := apitest.Start(t, program())
	const group = "/apis/library.example.com/v1/"
	send := func(method, path, contentType, body string, want int) string {
		t.Helper()
		req, err := http.NewRequest(method, server.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", contentType)
		resp, err := server.Client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		answer, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != want {
			t.Fatalf("%s %s: %s %s (%v), want %d", method, path, resp.Status, answer, err, want)
		}
		return string(answer)
	}
	for name, spec := range map[string]string{
		"low": `{"room":"First Floor","capacity":3}`, "high": `{"room":"First Floor","capacity":4}`, "lost": `{}`,
	} {
		send("POST", group+"shelves", "application/json", fmt.Sprintf(`{"metadata":{"name":%q},"spec":%s}`, name, spec), http.StatusCreated)
	}
	for i, shelf := range []string{"low", "low", "high"} {
		send("POST", group+"namespaces/default/books", "application/json",
			fmt.Sprintf(`{"metadata":{"name":"b%d"},"spec":{"title":"B","shelf":%q}}`, i, shelf), http.StatusCreated)
	}

	room := send("GET", group+"rooms/first-floor", "", "", http.StatusOK)
	if !strings.Contains(room, `"kind":"Room"`) || !strings.Contains(room, `"shelves":2,"capacity":7,"books":3`) {
		t.Errorf("the room is %s", room)
	}
	if all := send("GET", group+"rooms", "", "", http.StatusOK); !strings.Contains(all, `"name":"unassigned"`) || strings.Count(all, `"shelves":`) != 2 {
		t.Errorf("the rooms are %s", all)
	}
	send("GET", group+"rooms/cellar", "", "", http.StatusNotFound)

	const merge = "application/merge-patch+json"
	send("PATCH", group+"shelves/low", merge, `{"spec":{"capacity":2}}`, http.StatusOK)
	refused := send("PATCH", group+"shelves/low", merge, `{"spec":{"capacity":1}}`, http.StatusUnprocessableEntity)
	if !strings.Contains(refused, "spec.capacity: Invalid value: 1: 2 books are on the shelf") {
		t.Errorf("a capacity that is too small: %s", refused)
	}
	send("PATCH", group+"shelves/lost", merge, `{"spec":{"capacity":1}}`, http.StatusOK)
}
