package tool

import (
	"context"
	"embed"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/typeplane/typeplane/internal/program"
)

// scripts ask the program itself what may come next, so that they are short, and good for every
// version of it.
//
//go:embed scripts
var scripts embed.FS

// shells are the files in scripts by the names of the shells.
var shells = map[string]string{
	"bash": "completion.bash", "zsh": "completion.zsh", "fish": "completion.fish", "powershell": "completion.ps1",
}

// askWords is the argument with which the scripts ask.
const askWords = "words"

func completionCommand(s program.Server) command {
	word := ""
	names := slices.Sorted(maps.Keys(shells))
	return command{
		name: "completion", args: strings.Join(names, " | "), about: "prints a script by which a shell completes command lines", alone: true,
		first: names,
		more: "The script says in its first lines where it belongs. It asks the program what may come next: completion\n" +
			askWords + " --word=WORD -- BEFORE… prints what WORD can become behind the words BEFORE. Its first line says whether words\n" +
			"follow, each with what it means behind a tab, or whether the shell is to offer files or directories.",
		flags: func(fs *pflag.FlagSet) {
			fs.StringVar(&word, "word", "", "`beginning` of the word that is to be completed ("+askWords+")")
		},
		run: func(_ context.Context, args []string, c Console) error {
			if len(args) > 0 && args[0] == askWords {
				return offerFor(s, args[1:], word).write(c.Out)
			}
			shell, err := oneArgument(args, "the shell")
			if err != nil {
				return err
			}
			return printScript(shell, c)
		},
	}
}

// notInNames are the signs that a function of a shell can't have in its name.
var notInNames = regexp.MustCompile(`[^A-Za-z0-9_]`)

// quotes write a name between single quotes.
var quotes = map[string]*strings.Replacer{
	"bash": strings.NewReplacer(`'`, `'\''`), "zsh": strings.NewReplacer(`'`, `'\''`),
	"fish": strings.NewReplacer(`'`, `\'`), "powershell": strings.NewReplacer(`'`, `''`),
}

// printScript prints the script of a shell for the program as it was called.
func printScript(shell string, c Console) error {
	file, known := shells[shell]
	if !known {
		return fmt.Errorf("%q: want one of %s", shell, strings.Join(slices.Sorted(maps.Keys(shells)), ", "))
	}
	text, err := scripts.ReadFile("scripts/" + file)
	if err != nil {
		return err
	}
	_, err = strings.NewReplacer(
		"@function@", "_"+notInNames.ReplaceAllString(c.Program, "_")+"_completion",
		"@quoted@", quotes[shell].Replace(c.Program),
		"@program@", c.Program,
	).WriteString(c.Out, string(text))
	return err
}

// offer is what may stand in a place on the command line.
type offer struct {
	kind  string // offerWords, or what the shell knows better
	words []offeredWord
}

type offeredWord struct{ text, about string }

// The kinds of offers.
const (
	offerWords       = "words"
	offerFiles       = "files"
	offerDirectories = "directories"
)

func (o offer) write(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintln(&b, o.kind)
	for _, w := range o.words {
		fmt.Fprintln(&b, strings.TrimSuffix(w.text+"\t"+w.about, "\t"))
	}
	_, err := io.WriteString(out, b.String())
	return err
}
