package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// grid is a table with a column for each size and a line for each thing that was measured.
type grid struct {
	title   string
	columns []string
	lines   []string
	cells   map[string]map[string]string // by line and column
}

// column begins the next column.
func (g *grid) column(name string) { g.columns = append(g.columns, name) }

// set fills in a cell of the last column.
func (g *grid) set(line, text string) {
	if g.cells == nil {
		g.cells = map[string]map[string]string{}
	}
	if !slices.Contains(g.lines, line) {
		g.lines = append(g.lines, line)
		g.cells[line] = map[string]string{}
	}
	g.cells[line][g.columns[len(g.columns)-1]] = text
}

// print writes the table as Markdown.
func (g *grid) print(w io.Writer) {
	fmt.Fprintf(w, "| %s | %s |\n|---|%s\n", g.title, strings.Join(g.columns, " | "), strings.Repeat("---|", len(g.columns)))
	for _, line := range g.lines {
		fmt.Fprintf(w, "| %s |", line)
		for _, column := range g.columns {
			text := g.cells[line][column]
			if text == "" {
				text = "–"
			}
			fmt.Fprintf(w, " %s |", text)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
}
