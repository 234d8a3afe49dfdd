package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSite makes the pages of this repository. What is wrong with them is an error that read
// returns.
func TestSite(t *testing.T) {
	s, err := read("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := s.write(dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"menu.json":                 {`"/tutorial"`, `"/flags"`, `"/metrics"`, `"/packages/"`, `"/design/001-plain-structs"`},
		"pages/index.md":            {"<th scope=\"row\">create one</th>", "](/tutorial.md)"},
		"pages/tutorial.md":         {"source: docs/tutorial.md", "](/tags.md)"},
		"pages/documents.md":        {"](/architecture.md)"},
		"pages/contributing.md":     {"# Working on Typeplane"},
		"pages/packages/index.md":   {"](/packages/registry.rest.md)"},
		"pages/packages/apitest.md": {"### Start\n\n```go\nfunc Start(t testing.TB, program typeplane.Server, options ...Option) *Server\n```"},
		// A type that is declared below internal/ is shown with what it has.
		"pages/packages/typeplane.md": {"### Server\n", "\tAPIs []API\n", "### Main\n"},
	} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, part := range want {
			if !strings.Contains(string(text), part) {
				t.Errorf("%s has no %q", name, part)
			}
		}
	}
}

// TestHome: what the front page shows is what the tutorial shows, whose commands are run by a test.
func TestHome(t *testing.T) {
	text, err := os.ReadFile("vitepress/home.md")
	if err != nil {
		t.Fatal(err)
	}
	tutorial, err := os.ReadFile("../../docs/tutorial.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(text), "```")
	if len(blocks) < 5 {
		t.Fatalf("the front page has %d blocks of code, want two", len(blocks)/2)
	}
	for i := 1; i < len(blocks); i += 2 {
		rest := string(tutorial)
		for line := range strings.Lines(blocks[i][strings.Index(blocks[i], "\n")+1:]) {
			_, after, found := strings.Cut(rest, "\n"+line)
			if !found {
				t.Errorf("the tutorial has no line %q behind the line before", line)
				continue
			}
			rest = "\n" + after
		}
	}
}

// TestFollow: pages link to pages, other files are shown by the repository, and a broken link is
// told.
func TestFollow(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"docs/README.md":        "# Tasks\n\n## Begin\n\n| [a](a.md), [part](b.md#x) | [b](b.md) |\n\n## More\n\n[decisions](design/README.md)\n",
		"docs/a.md":             "# A `b`\n\n![flow](flow.svg) [tasks](README.md#begin) [go](../main.go) [all](..) [us](https://example.com/x.md) `[no](no.md)`\n\n```\n[no](no.md)\n```\n\n[gone](gone.md)\n",
		"docs/b.md":             "# B\n\n<name> `<name>`<br>\n",
		"docs/lost.md":          "# Lost\n",
		"docs/flow.svg":         "<svg/>",
		"docs/design/README.md": "# Decisions\n\n[one](001.md)\n",
		"docs/design/001.md":    "# One\n",
		"main.go":               "package main\n",
	} {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s := &site{root: root, by: map[string]*page{}, images: map[string]bool{}}
	if err := s.readDocuments(index); err != nil {
		t.Fatal(err)
	}
	const want = "# A `b`\n\n![flow](/docs/flow.svg) [tasks](/documents.md#begin) [go](https://github.com/typeplane/typeplane/blob/main/main.go) " +
		"[all](https://github.com/typeplane/typeplane/tree/main/.) [us](https://example.com/x.md) `[no](no.md)`\n\n```\n[no](no.md)\n```\n\n[gone](gone.md)\n"
	if got := s.by["docs/a.md"].text; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if want := []string{"docs/a.md links to docs/gone.md, which is not there", "docs/b.md has the tag <name>: write it as code, or &lt;", "no link leads to docs/lost.md: list it in docs/README.md"}; !slices.Equal(s.wrong, want) {
		t.Errorf("told %q, want %q", s.wrong, want)
	}
	const menu = `[
  {
    "text": "Begin",
    "items": [
      {
        "text": "A b",
        "link": "/a"
      },
      {
        "text": "B",
        "link": "/b"
      }
    ]
  },
  {
    "text": "More",
    "items": [
      {
        "text": "Decisions",
        "link": "/design/",
        "collapsed": true,
        "items": [
          {
            "text": "One",
            "link": "/design/001"
          }
        ]
      }
    ]
  }
]
`
	if got := s.menu(); got != menu {
		t.Errorf("the menu is\n%s\nwant\n%s", got, menu)
	}
}

// TestCheck: each fault of a built page is found, and what is none is not.
func TestCheck(t *testing.T) {
	const head = `<!DOCTYPE html><html><head>`
	for name, tc := range map[string]struct{ page, want string }{
		"all is well":    {`<link rel="stylesheet" href="/base/a.css"></head><body><h1 id="top"></h1><a href="#top"></a><a href="/base/b.html#b"></a><a href="b.html"></a><a href="/base/"></a><a href="https://example.com/"></a><img src="data:image/png;base64,AA">`, ""},
		"a link":         {`</head><a href="/base/c.html">`, "index.html links to /base/c.html, which is not there"},
		"an anchor":      {`</head><a href="b.html#c">`, "index.html links to b.html#c, which has no such anchor"},
		"outside":        {`</head><a href="/b.html">`, "index.html links to /b.html, which is not below /base/"},
		"a style sheet":  {`<link rel="stylesheet" href="https://cdn.example.com/a.css">`, "index.html loads https://cdn.example.com/a.css from another host"},
		"a program":      {`<script src="//cdn.example.com/a.js"></script>`, "index.html loads //cdn.example.com/a.js from another host"},
		"an image":       {`</head><img src="http://example.com/a.png">`, "index.html loads http://example.com/a.png from another host"},
		"an image amiss": {`</head><img src="a.png">`, "index.html links to a.png, which is not there"},
		"a font":         {`<style>@font-face { src: url("https://fonts.example.com/a.woff2") }</style>`, "index.html loads https://fonts.example.com/a.woff2 from another host"},
		"a module":       {`<script type="module">import("https://example.com/a.js")</script>`, "index.html loads https://example.com/a.js from another host"},
		"a style":        {`</head><p style="background: url(https://example.com/a.png)">`, "index.html loads https://example.com/a.png from another host"},
		"only a mention": {`<script>throw Error("see https://example.com/why")</script>`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range map[string]string{"index.html": head + tc.page, "b.html": head + `</head><p id="b">`, "a.css": "p { color: red }"} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			wrong, err := check(dir, "/base/")
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(wrong, "\n"); got != tc.want {
				t.Errorf("told %q, want %q", got, tc.want)
			}
		})
	}
}

// TestFigures: the rows of the front page are those of the harness, by the names of columns.
func TestFigures(t *testing.T) {
	const text = "## Results of 2026-01-02\n\n| work | ours | ready bytes | k8s.io/apiserver |\n|---|---|---|---|\n" +
		"| get, linearizable, protobuf | 100 µs (1 µs–2 µs) | 5 µs | 400 µs |\n| list all, JSON | 1.50 ms | – | 3.00 ms |\n| create, protobuf | 1 µs | – | 2 µs |\n| merge patch | 1 µs | – | 1 µs |\n"
	const event = "| one event to one of 200 watchers, protobuf | 2 µs | – | 1 µs |\n"
	got, err := figures(text + event)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<td><span class="bar" style="width:25%"></span>100 µs</td><td><span class="bar" style="width:100%"></span>400 µs</td>`,
		`<td><span class="bar" style="width:100%"></span>2 µs</td><td><span class="bar" style="width:50%"></span>1 µs</td>`,
		"Measured on 2026-01-02.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if _, err := figures(text); err == nil || !strings.Contains(err.Error(), "one event to one of 200 watchers") {
		t.Errorf("without a row: %v", err)
	}
}
