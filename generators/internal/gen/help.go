package gen

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"
)

// helpWidth is how long a line of the help is at most: a terminal has that.
const helpWidth = 80

func usage(w io.Writer, flags *pflag.FlagSet) {
	var b strings.Builder
	b.WriteString("gen writes the code that follows from annotated Go types.\n\nUsage:\n\n    gen init MODULE\n    gen add kind|version|subresource|admission …\n    gen [flags] PACKAGES…\n    gen tags\n\n")
	b.WriteString(beside("", "gen init begins a module with an API server, gen add adds to it; both have --help."))
	b.WriteString(beside("", "PACKAGES are package patterns of the go command in the main module, like ./..."))
	b.WriteString(beside("", "What belongs into them follows from the whole module; only they are written."))
	b.WriteString("gen tags prints the tags that generators read.\n\nGenerators:\n\n")
	width := 0
	for _, p := range plugins() {
		width = max(width, len(p.Name))
	}
	for _, p := range plugins() {
		b.WriteString(beside(fmt.Sprintf("    %-*s  ", width, p.Name), p.Doc))
	}
	fmt.Fprintf(&b, "\nFlags:\n\n%s\n", flags.FlagUsagesWrapped(helpWidth))
	b.WriteString(beside("", "The exit status is 0, or 1 if there are problems or, with --verify, files are out of date, or 2 if gen was called wrongly."))
	io.WriteString(w, b.String())
}

// beside begins a line, and breaks a text into what is beside that.
func beside(begin, text string) string {
	var b strings.Builder
	b.WriteString(begin)
	indent := utf8.RuneCountInString(begin)
	at := indent
	for word := range strings.FieldsSeq(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case at == indent:
		case at+1+n > helpWidth:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			at = indent
		default:
			b.WriteString(" ")
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String() + "\n"
}
