package gen

import (
	"errors"
	"fmt"
	"io"

	"github.com/typeplane/typeplane/generators/internal/generators"

	"github.com/spf13/pflag"
)

// tags prints the reference of tags, from the definitions that the generators use.
func tags(args []string, stdout, stderr io.Writer) int {
	flags := pflag.NewFlagSet("gen tags", pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	markdown := flags.Bool("markdown", false, "print the page docs/tags.md, without the table of places, which a test makes")
	if err := flags.Parse(args); errors.Is(err, pflag.ErrHelp) {
		doc := beside("", "gen tags prints all tags that gen knows: where they stand, what they do, and which generator reads them.")
		fmt.Fprintf(stdout, "%s\nFlags:\n\n%s", doc, flags.FlagUsagesWrapped(helpWidth))
		return ok
	} else if err != nil {
		return misused(stderr, err)
	}
	if flags.NArg() > 0 {
		return misused(stderr, fmt.Errorf("gen tags takes no arguments, found %q", flags.Arg(0)))
	}
	table := generators.TagTable(plugins())
	if *markdown {
		fmt.Fprint(stdout, table.Markdown())
	} else {
		fmt.Fprint(stdout, table.Text())
	}
	return ok
}
