package console

import (
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

var pictures = flag.String("pictures", "", "folder for the pictures of TestPictures, which is left out without one, and of TestKubernetes")

// shelf is what the pictures show.
var shelf = []struct {
	name, title, author, genre string
	copies                     int
}{
	{"a-tour-of-c-plus-plus", "A Tour of C++", "Bjarne Stroustrup", "Science", 1},
	{"clean-architecture", "Clean Architecture", "Robert C. Martin", "Science", 2},
	{"compilers", "Compilers: Principles, Techniques, and Tools", "Alfred V. Aho", "Science", 2},
	{"designing-data-intensive-applications", "Designing Data-Intensive Applications", "Martin Kleppmann", "Science", 4},
	{"emma", "Emma", "Jane Austen", "Fiction", 2},
	{"frankenstein", "Frankenstein", "Mary Shelley", "Fiction", 3},
	{"kitab", "كتاب ألف ليلة وليلة", "مجهول", "Fiction", 1},
	{"middlemarch", "Middlemarch", "George Eliot", "Fiction", 1},
	{"structure-and-interpretation", "Structure and Interpretation of Computer Programs", "Harold Abelson", "Science", 2},
	{"the-art-of-computer-programming", "The Art of Computer Programming", "Donald E. Knuth", "Science", 1},
	{"the-go-programming-language", "The Go Programming Language", "Alan A. A. Donovan", "Science", 3},
	{"the-mythical-man-month", "The Mythical Man-Month", "Frederick P. Brooks", "Science", 2},
	{"the-time-machine", "The Time Machine", "H. G. Wells", "Fiction", 2},
}

// largest bounds a picture, in bytes: each clone of the repository has it.
const largest = 150_000

// TestPictures makes those of the README, in light and dark.
func TestPictures(t *testing.T) {
	if *pictures == "" {
		t.Skip("-pictures says where they go; make console-pictures does")
	}
	program := library(t)
	server := start(t, program)
	for _, b := range shelf {
		one := book(b.name, b.title)
		one["metadata"] = map[string]any{"name": b.name, "labels": map[string]any{"genre": b.genre}}
		one["spec"] = map[string]any{"title": b.title, "authors": []string{b.author}, "genre": b.genre, "copies": b.copies}
		if _, err := send(t.Context(), server, http.MethodPost, books("default"), one); err != nil {
			t.Fatal(err)
		}
	}
	b := open(t, openConsole(t, program, server.Kubeconfig))
	b.holds(".cards a", "Book")
	perform(b, chromedp.EmulateViewport(1120, 600, chromedp.EmulateScale(1.25)))
	b.goTo("#/object/library.example.com/v1/books/default/the-go-programming-language")
	b.holds(".yaml button", "copies:")
	b.act("[...document.querySelectorAll('.yaml button')].find((line) => line.textContent.includes('copies:')).click()")
	b.holds("aside", "copies is how many")
	for _, scheme := range []string{"light", "dark"} {
		call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		data := perform(b, chromedp.CaptureScreenshot())
		if len(data) > largest {
			t.Errorf("the picture in %s has %d bytes, want at most %d", scheme, len(data), largest)
		}
		if err := os.WriteFile(filepath.Join(*pictures, "console-"+scheme+".png"), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
