// Command prose counts what makes comments and documents hard to read: sentences of more than 30
// words, and lines of comments over 100 columns.
//
//	go run ./hack/prose                    the numbers
//	go run ./hack/prose -list 20           and the longest sentences, with their places
//	go run ./hack/prose -list 20 registry  of some files or folders
//
// It reads the Go files that people wrote and the Markdown files, but no test data. In Markdown
// each cell of a table stands for itself, and blocks of code do not count.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// What is too long. A tab is as wide as editors show it by default in Go: tabWidth columns.
const (
	mostWords   = 30
	mostColumns = 100
	tabWidth    = 4
)

var list = flag.Int("list", 0, "print the `n` longest sentences")

func main() {
	log.SetFlags(0)
	flag.Parse()
	roots := flag.Args()
	if len(roots) == 0 {
		roots = []string{"."}
	}
	var comments, documents sheet
	for _, root := range roots {
		if err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			return read(name, d, err, &comments, &documents)
		}); err != nil {
			log.Fatal(err)
		}
	}
	comments.print("comments")
	documents.print("Markdown")
	longest := slices.Concat(comments.sentences, documents.sentences)
	slices.SortStableFunc(longest, func(a, b sentence) int { return cmp.Compare(b.words, a.words) })
	for _, s := range longest[:min(*list, len(longest))] {
		fmt.Printf("%s:%d: %d words: %s\n", s.file, s.line, s.words, s.text)
	}
}

// sheet is what was counted in texts of one sort.
type sheet struct {
	sentences   []sentence
	lines, wide int
}

type sentence struct {
	file        string
	line, words int
	text        string
}

func (s *sheet) print(name string) {
	long := 0
	for _, one := range s.sentences {
		if one.words > mostWords {
			long++
		}
	}
	fmt.Printf("%s: %d sentences, %d of more than %d words (%.1f %%)", name, len(s.sentences), long, mostWords, 100*float64(long)/float64(max(1, len(s.sentences))))
	if s.lines > 0 {
		fmt.Printf("; %d lines, %d over %d columns (%.1f %%)", s.lines, s.wide, mostColumns, 100*float64(s.wide)/float64(s.lines))
	}
	fmt.Println()
}

// read counts one file, if it is one that people wrote.
func read(name string, d fs.DirEntry, err error, comments, documents *sheet) error {
	switch hidden := strings.HasPrefix(d.Name(), ".") && d.Name() != "."; {
	case err != nil:
		return err
	case d.IsDir() && (hidden || d.Name() == "testdata" || d.Name() == "bin"):
		return filepath.SkipDir
	case d.IsDir():
		return nil
	case strings.HasSuffix(name, ".go"):
		return comments.readGo(name)
	case strings.HasSuffix(name, ".md"):
		return documents.readMarkdown(name)
	}
	return nil
}

func (s *sheet) readGo(name string) error {
	source, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	positions := token.NewFileSet()
	file, err := parser.ParseFile(positions, name, source, parser.ParseComments)
	if err != nil || ast.IsGenerated(file) {
		return err
	}
	lines := strings.Split(string(source), "\n")
	for _, group := range file.Comments {
		first, last := positions.Position(group.Pos()).Line, positions.Position(group.End()).Line
		if strings.HasPrefix(strings.TrimSpace(lines[first-1]), "/") { // and not behind code
			s.measure(lines[first-1 : last])
		}
		s.text(name, first, commentLines(group))
	}
	return nil
}

// commentLines are the lines of a comment as its reader sees them: directives and code are empty.
func commentLines(group *ast.CommentGroup) []string {
	var lines []string
	for _, comment := range group.List {
		text := strings.TrimSuffix(comment.Text, "*/")
		for line := range strings.SplitSeq(text, "\n") {
			line = strings.TrimLeft(line, "/*")
			if strings.HasPrefix(line, " +") || strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "go:") || strings.HasPrefix(line, " # ") {
				line = ""
			}
			lines = append(lines, line)
		}
	}
	return lines
}

func (s *sheet) measure(lines []string) {
	for _, line := range lines {
		s.lines++
		if width := utf8.RuneCountInString(line) + (tabWidth-1)*strings.Count(line, "\t"); width > mostColumns {
			s.wide++
		}
	}
}

// printed is a page whose texts are of other people: the reference of an API.
var printed = regexp.MustCompile(`^<!-- Code generated .* DO NOT EDIT\. -->`)

func (s *sheet) readMarkdown(name string) error {
	source, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if printed.Match(source) {
		return nil
	}
	lines := strings.Split(string(source), "\n")
	for i, code := 0, false; i < len(lines); i++ {
		if strings.HasPrefix(strings.TrimSpace(lines[i]), "```") {
			lines[i], code = "", !code
		} else if code || strings.HasPrefix(lines[i], "#") {
			lines[i] = ""
		}
	}
	s.text(name, 1, lines)
	return nil
}

// item is the beginning of a paragraph inside a list.
var item = regexp.MustCompile(`^\s*([-*]|\d+\.)\s`)

// cells are apart in a row of a table, and so are the lines of one cell.
var cells = regexp.MustCompile(`\||<br>`)

// text counts the sentences of lines; an empty line, an item and a row of a table end a paragraph.
func (s *sheet) text(name string, first int, lines []string) {
	var paragraph []string
	start := first
	end := func(next int) {
		s.paragraph(name, start, strings.Join(paragraph, " "))
		paragraph, start = nil, next
	}
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || strings.HasPrefix(trimmed, "|") || item.MatchString(line) {
			end(first + i)
		}
		if !strings.HasPrefix(trimmed, "|") {
			paragraph = append(paragraph, item.ReplaceAllString(line, ""))
			continue
		}
		for _, cell := range cells.Split(trimmed, -1) {
			s.paragraph(name, first+i, cell)
		}
	}
	end(0)
}

// stop is the end of a sentence: a mark, perhaps what closes behind it, and then a new beginning. A
// beginning is a capital, a digit, code, the name of a file, or a small name with a verb behind it.
var stop = regexp.MustCompile("[.!?][)\"*_`]*\\s+[(\"*_`\\[]*(?:[\\p{Lu}\\d`+$]|[\\w*/]+\\.go\\b|[a-z][\\w-]* (?:are|may|would|[a-z]+s)\\b)")

func (s *sheet) paragraph(name string, line int, text string) {
	for len(text) > 0 {
		cut := len(text)
		if at := stop.FindStringIndex(text); at != nil {
			cut = at[0] + 1
		}
		if words := strings.Fields(text[:cut]); len(words) > 1 {
			s.sentences = append(s.sentences, sentence{name, line, len(words), strings.Join(words, " ")})
		}
		text = text[cut:]
	}
}
