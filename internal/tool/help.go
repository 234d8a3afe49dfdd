package tool

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/typeplane/typeplane/internal/program"
)

// help is the command of that name: it says what there is, or what a command does.
func help(s program.Server, args []string, c Console) error {
	if len(args) == 0 {
		fs, _ := program.NewFlags(s)
		_, err := io.WriteString(c.Out, Usage(s, fs))
		return err
	}
	cmd, err := find(s, args[0])
	if err != nil {
		return err
	}
	_, err = io.WriteString(c.Out, cmd.usage(s.Name))
	return err
}

// Usage is the help of a server, whose flags are fs.
func Usage(s program.Server, fs *pflag.FlagSet) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s serves its API over HTTPS and keeps the objects in %s.\n\nUsage: %s [flags]\n", s.Name, program.StorageName(s), s.Name)
	for _, cmd := range commands(s) {
		b.WriteString(hanging(fmt.Sprintf("       %s %-10s ", s.Name, cmd.name), cmd.about))
	}
	fmt.Fprintf(&b, "       %s help COMMAND\n", s.Name)
	writeGroups(&b, program.ServerGroups(fs))
	b.WriteString("\n" + paragraphs("Each flag may also be a variable of the environment (--data-dir is "+program.Variable(s.Name, "data-dir")+") or be in the file of --config.\n\n"+
		"Flags of other API servers that ask for what is so in any case are taken, with a warning: "+program.FormerNames()+"."))
	return b.String()
}

func (cmd command) usage(server string) string {
	var b strings.Builder
	call := strings.TrimSpace(server + " " + cmd.name + " " + cmd.args)
	b.WriteString(paragraphs(server+" "+cmd.name+" "+cmd.about+"\n\n"+cmd.more) + "\n" + hanging("Usage: ", call+" [flags]"))
	writeGroups(&b, program.CommandGroups(cmd.flagSet(server)))
	return b.String()
}

func writeGroups(b *strings.Builder, groups []program.FlagGroup) {
	for _, g := range groups {
		fmt.Fprintf(b, "\n%s:\n", g.Title)
		for _, f := range g.Flags {
			writeFlag(b, f)
		}
	}
}

// writeFlag writes a line with the flag and its default, and below it what it does: there are names
// that would leave half a line for that.
func writeFlag(b *strings.Builder, f *pflag.Flag) {
	value, usage := pflag.UnquoteUsage(f)
	line := "  --" + f.Name
	if f.Shorthand != "" {
		line = "  -" + f.Shorthand + ", --" + f.Name
	}
	if value != "" {
		line += " " + value
	}
	if text := defaultOf(f); text != "" {
		line += " (default " + text + ")"
	}
	fmt.Fprintf(b, "%s\n%s\n", line, wrap(usage, "        "))
}

// defaultOf is the default of a flag, "" for what says nothing.
func defaultOf(f *pflag.Flag) string {
	switch text := f.DefValue; {
	case text == "" || text == "false" || text == "0" || text == "0s" || text == "[]":
		return ""
	case f.Value.Type() == "string":
		return fmt.Sprintf("%q", text)
	default:
		return text
	}
}

// helpWidth is how long a line of the help is at most: a terminal has that.
const helpWidth = 80

// paragraphs breaks the lines of paragraphs, which stay apart.
func paragraphs(text string) string {
	parts := strings.Split(text, "\n\n")
	for i, part := range parts {
		parts[i] = wrap(part, "") + "\n"
	}
	return strings.Join(parts, "\n")
}

// hanging begins a line, and breaks a text into what is beside that.
func hanging(begin, text string) string {
	indent := strings.Repeat(" ", utf8.RuneCountInString(begin))
	return begin + strings.TrimPrefix(wrap(text, indent), indent) + "\n"
}

// wrap breaks a text into lines that begin with indent.
func wrap(text, indent string) string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && utf8.RuneCountInString(indent+line+" "+word) > helpWidth {
			lines, line = append(lines, indent+line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return strings.Join(append(lines, indent+line), "\n")
}
