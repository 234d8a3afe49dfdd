package main

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// measured is the page with the figures of requests.
const measured = "test/bench/README.md"

// shown are the rows of its table that the front page has, each with words for those who do not
// know the table.
var shown = []struct{ row, words string }{
	{"get, linearizable, protobuf", "get an object, newest state"},
	{"list all, JSON", "list all of them, as JSON"},
	{"create, protobuf", "create one"},
	{"merge patch", "patch one"},
	{"one event to one of 200 watchers, protobuf", "tell a watcher of a change"},
}

// place is the line of the front page where the figures go.
const place = "<!-- figures -->\n"

var results = regexp.MustCompile(`(?m)^## Results of (\d{4}-\d{2}-\d{2})$`)

// printFigures puts a table with bars into the front page, of what the harness has measured.
func (s *site) printFigures(front *page) error {
	data, err := os.ReadFile(filepath.Join(s.root, measured))
	if err != nil {
		return err
	}
	_, after, found := strings.Cut(front.text, place)
	if !found {
		return fmt.Errorf("%s has no line %q for the figures", home, strings.TrimSpace(place))
	}
	table, err := figures(string(data))
	if err != nil {
		return fmt.Errorf("%s: %w", measured, err)
	}
	front.text = strings.TrimSuffix(front.text, place+after) + table + after
	return nil
}

// figures prints the rows that are shown as a table in HTML: the more CPU time, the longer the bar.
func figures(text string) (string, error) {
	heading := results.FindStringSubmatchIndex(text)
	if heading == nil {
		return "", fmt.Errorf("no heading is like %q", results)
	}
	date, rows := text[heading[2]:heading[3]], rowsOf(text[heading[1]:])
	var head []string // of the table with the first of the rows that are shown
	for _, cells := range rows {
		if cells[0] == shown[0].row {
			break
		}
		if slices.Contains(cells, "ours") {
			head = cells
		}
	}
	if head == nil {
		return "", fmt.Errorf(`no table has a column "ours"`)
	}
	ours, peer := slices.Index(head, "ours"), slices.Index(head, "k8s.io/apiserver")
	var b strings.Builder
	b.WriteString("<table class=\"figures\">\n<thead><tr><th>CPU time of the server</th><th>Typeplane</th><th>k8s.io/apiserver</th></tr></thead>\n<tbody>\n")
	for _, want := range shown {
		at := slices.IndexFunc(rows, func(cells []string) bool { return cells[0] == want.row })
		if at < 0 || peer < 0 || len(rows[at]) <= peer {
			return "", fmt.Errorf("the table has no row %q with figures of both", want.row)
		}
		a, b1 := median(rows[at][ours]), median(rows[at][peer])
		left, err := time.ParseDuration(strings.ReplaceAll(a, " ", ""))
		if err != nil {
			return "", err
		}
		right, err := time.ParseDuration(strings.ReplaceAll(b1, " ", ""))
		if err != nil {
			return "", err
		}
		most := max(left, right)
		fmt.Fprintf(&b, "<tr><th scope=\"row\">%s</th>%s%s</tr>\n", html.EscapeString(want.words), bar(a, left, most), bar(b1, right, most))
	}
	fmt.Fprintf(&b, "</tbody>\n</table>\n\n<p class=\"when\">Measured on %s.</p>\n", date)
	return b.String(), nil
}

func bar(text string, value, most time.Duration) string {
	return fmt.Sprintf(`<td><span class="bar" style="width:%d%%"></span>%s</td>`, 100*value/most, html.EscapeString(text))
}

// median is a figure without its range.
func median(cell string) string {
	figure, _, _ := strings.Cut(cell, " (")
	return figure
}

// rowsOf are the rows of all tables of a text, as cells.
func rowsOf(text string) (rows [][]string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i, cell := range cells {
			cells[i] = strings.TrimSpace(cell)
		}
		rows = append(rows, cells)
	}
	return rows
}
