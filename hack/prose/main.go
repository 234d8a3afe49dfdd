// Command prose checks the English of comments and documents. It fails for
//
//   - a sentence of more than 30 words,
//   - a line of a comment over 100 columns,
//   - a package or document with more dialect words or knots than its budget (dialect.go).
//
// Usage:
//
//	go run ./hack/prose                the whole repository
//	go run ./hack/prose docs registry  some files or folders
//	go run ./hack/prose -lower         the whole repository, and lower the budgets to today's counts
//
// It reads hand-written Go files and Markdown files, but no test data. In Markdown each cell of a
// table is a paragraph. Code, markers and the expected output of examples do not count.
package main

import (
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
	"strings"
	"unicode/utf8"
)

// What is too long. A tab is as wide as editors show it by default in Go: tabWidth columns.
const (
	mostWords   = 30
	mostColumns = 100
	tabWidth    = 4
)

func main() {
	log.SetFlags(0)
	lower := flag.Bool("lower", false, "lower the budgets of packages and documents to today's counts")
	flag.Parse()
	roots := flag.Args()
	if len(roots) == 0 {
		roots = []string{"."}
	}
	if *lower && flag.NArg() > 0 {
		log.Fatal("-lower counts the whole repository: name no files")
	}
	tallies := map[string]*tally{}
	comments, documents := sheet{name: "comments", tallies: tallies}, sheet{name: "Markdown", tallies: tallies}
	for _, root := range roots {
		if err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			return read(name, d, err, &comments, &documents)
		}); err != nil {
			log.Fatal(err)
		}
	}
	budgets, err := readBudgets(budgetFile)
	if err != nil {
		log.Fatal(err)
	}
	if *lower {
		budgets = budgets.lower(tallies)
		if err := budgets.write(budgetFile); err != nil {
			log.Fatal(err)
		}
	}
	exceeded := budgets.exceeded(tallies)
	for _, fault := range exceeded {
		fmt.Println(fault)
	}
	comments.print()
	documents.print()
	if len(comments.faults)+len(documents.faults)+len(exceeded) > 0 {
		os.Exit(1)
	}
}

// sheet collects the counts and faults of all comments, or of all documents.
type sheet struct {
	name      string
	sentences int
	faults    []string
	tallies   map[string]*tally // by package or document
	current   *tally            // of the file that is read
}

// begin selects the tally for a file.
func (s *sheet) begin(file string) {
	s.current = new(tally)
	path := tallied(file)
	if path == "" || s.tallies == nil {
		return
	}
	if s.tallies[path] == nil {
		s.tallies[path] = s.current
	}
	s.current = s.tallies[path]
}

func (s *sheet) print() {
	for _, fault := range s.faults {
		fmt.Println(fault)
	}
	fmt.Printf("%s: %d sentences, %d faults\n", s.name, s.sentences, len(s.faults))
}

func (s *sheet) fault(file string, line int, format string, args ...any) {
	s.faults = append(s.faults, fmt.Sprintf("%s:%d: ", file, line)+fmt.Sprintf(format, args...))
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
	s.begin(name)
	lines := strings.Split(string(source), "\n")
	for _, group := range file.Comments {
		first, texts := positions.Position(group.Pos()).Line, commentLines(group)
		if strings.HasPrefix(strings.TrimSpace(lines[first-1]), "/") { // and not behind code
			s.measure(name, first, lines[first-1:], texts)
		}
		s.text(name, first, texts)
	}
	return nil
}

// commentLines are the lines of a comment as its reader sees them. Markers, code and what an
// example prints are empty lines.
func commentLines(group *ast.CommentGroup) []string {
	var lines []string
	output := false
	for _, comment := range group.List {
		for line := range strings.SplitSeq(strings.TrimSuffix(comment.Text, "*/"), "\n") {
			line = strings.TrimLeft(line, "/*")
			output = output || exampleOutput.MatchString(line)
			if output || notProse.MatchString(line) {
				line = ""
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// These say what a line of a comment is, of which the slashes are gone.
var (
	exampleOutput = regexp.MustCompile(`^ (?:Unordered output|Output):`)
	notProse      = regexp.MustCompile(`^(?: \+|\t| # |go:|lint:)`)
)

// measure looks at the width of the lines that have a text.
func (s *sheet) measure(name string, first int, lines, texts []string) {
	for i, text := range texts {
		width := utf8.RuneCountInString(lines[i]) + (tabWidth-1)*strings.Count(lines[i], "\t")
		if text != "" && width > mostColumns {
			s.fault(name, first+i, "%d columns, at most %d: wrap the comment", width, mostColumns)
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
	s.begin(name)
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
	s.current.addLines(lines)
	var paragraph []string
	start := first
	end := func(next int) {
		s.paragraph(name, start, strings.Join(paragraph, " "))
		paragraph, start = nil, next
	}
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "":
			end(first + i + 1)
		case strings.HasPrefix(trimmed, "|") || item.MatchString(line):
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
	for _, words := range sentences(text) {
		s.sentences++
		s.current.addSentence(words)
		if len(words) > mostWords {
			s.fault(name, line, "%d words, at most %d: make two sentences of %s", len(words), mostWords, strings.Join(words, " "))
		}
	}
}

// sentences are the words of each sentence of a paragraph. A word alone is none.
func sentences(text string) [][]string {
	var all [][]string
	for len(text) > 0 {
		cut := len(text)
		if at := stop.FindStringIndex(text); at != nil {
			cut = at[0] + 1
		}
		if words := strings.Fields(text[:cut]); len(words) > 1 {
			all = append(all, words)
		}
		text = text[cut:]
	}
	return all
}
