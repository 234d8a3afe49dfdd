package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// built is a page as it was built: the anchors that it has, and where its links lead.
type built struct {
	file    string
	anchors map[string]bool
	links   []string
}

// check says what is wrong with the site in a folder, whose pages lie below base: links and anchors
// that lead nowhere, and what loads something from another host.
func check(dir, base string) (wrong []string, err error) {
	c := checker{base: "/" + strings.Trim(base, "/"), files: map[string]bool{}, pages: map[string]*built{}}
	if c.base != "/" {
		c.base += "/"
	}
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		file, relative := filepath.Rel(dir, name)
		data, read := os.ReadFile(name)
		c.read(filepath.ToSlash(file), data)
		return errors.Join(relative, read)
	})
	if err != nil {
		return nil, err
	}
	if len(c.pages) == 0 {
		return nil, fmt.Errorf("there are no pages in %s", dir)
	}
	for _, p := range c.pages {
		for _, to := range p.links {
			c.follow(p, to)
		}
	}
	slices.Sort(c.wrong)
	return slices.Compact(c.wrong), nil
}

type checker struct {
	base  string
	files map[string]bool
	pages map[string]*built // by file
	wrong []string
}

func (c *checker) fault(format string, args ...any) {
	c.wrong = append(c.wrong, fmt.Sprintf(format, args...))
}

// How style sheets and programs load from another host. A program may name one in a message.
var (
	styleLoads   = regexp.MustCompile(`(?:url\(\s*["']?|@import\s+["'])((?:https?:)?//[^"')\s]+)`)
	programLoads = regexp.MustCompile("(?:\\b(?:fetch|import|importScripts|Worker|EventSource|WebSocket|sendBeacon)\\(|\\bfrom|\\.(?:src|href)=)\\s*[\"'`]((?:https?:|wss?:)?//[^\"'`\\s]+)")
)

func (c *checker) read(file string, data []byte) {
	c.files[file] = true
	switch path.Ext(file) {
	case ".html":
		c.page(file, data)
	case ".css", ".svg":
		c.loads(file, styleLoads, data)
	case ".js", ".mjs":
		c.loads(file, programLoads, data)
	}
}

func (c *checker) loads(file string, pattern *regexp.Regexp, data []byte) {
	for _, found := range pattern.FindAllSubmatch(data, -1) {
		c.fault("%s loads %s from another host", file, found[1])
	}
}

// loaders are the attributes by which an element loads something. Those of link depend on its rel.
var loaders = map[string][]string{
	"script": {"src"}, "img": {"src", "srcset"}, "iframe": {"src"}, "source": {"src", "srcset"}, "video": {"src", "poster"},
	"audio": {"src"}, "embed": {"src"}, "object": {"data"}, "use": {"href"}, "form": {"action"}, "link": {"href"},
}

func (c *checker) page(file string, data []byte) {
	document, err := html.Parse(bytes.NewReader(data))
	if err != nil {
		c.fault("%s: %v", file, err)
		return
	}
	p := &built{file: file, anchors: map[string]bool{}}
	c.pages[file] = p
	for n := range document.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if id := attribute(n, "id"); id != "" {
			p.anchors[id] = true
		}
		c.loads(file, styleLoads, []byte(attribute(n, "style")))
		if n.Data == "a" && attribute(n, "href") != "" {
			p.links = append(p.links, attribute(n, "href"))
		}
		for _, key := range loaders[n.Data] {
			c.load(p, attribute(n, key))
		}
		if text := n.FirstChild; text != nil && (n.Data == "script" || n.Data == "style") {
			c.loads(file, map[string]*regexp.Regexp{"script": programLoads, "style": styleLoads}[n.Data], []byte(text.Data))
		}
	}
}

func (c *checker) load(p *built, from string) {
	u, err := url.Parse(from)
	switch {
	case from == "" || strings.HasPrefix(from, "data:"):
	case err != nil || u.Host != "":
		c.fault("%s loads %s from another host", p.file, from)
	default:
		p.links = append(p.links, from)
	}
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// follow looks whether a link within the site leads to a file, and to an anchor in it.
func (c *checker) follow(from *built, to string) {
	u, err := url.Parse(to)
	if err != nil {
		c.fault("%s links to %s: %v", from.file, to, err)
		return
	}
	if u.Scheme != "" || u.Host != "" {
		return // the reader goes there, not the page
	}
	file := path.Join(path.Dir(from.file), u.Path)
	if strings.HasPrefix(u.Path, "/") {
		below, ok := strings.CutPrefix(u.Path, c.base)
		if !ok {
			c.fault("%s links to %s, which is not below %s", from.file, to, c.base)
			return
		}
		file = below
	}
	switch {
	case u.Path == "":
		file = from.file
	case file == "" || strings.HasSuffix(u.Path, "/"):
		file = path.Join(file, "index.html")
	}
	if !c.files[file] {
		c.fault("%s links to %s, which is not there", from.file, to)
	} else if p := c.pages[file]; p != nil && u.Fragment != "" && !p.anchors[u.Fragment] {
		c.fault("%s links to %s, which has no such anchor", from.file, to)
	}
}
