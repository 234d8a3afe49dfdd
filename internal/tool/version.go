package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/pflag"
	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane/internal/buildinfo"
	"github.com/typeplane/typeplane/internal/program"
)

func versionCommand(s program.Server) command {
	output := ""
	return command{
		name: "version", about: "says what the program was built of", alone: true,
		more: "The go command notes the version of the module in each program that it builds, and the commit where there is\n" +
			"one. A server says the same when it starts, at /version and in the metric typeplane_build_info.",
		choices: map[string][]string{"output": {"json", "yaml"}},
		flags: func(fs *pflag.FlagSet) {
			fs.StringVarP(&output, "output", "o", "", "`form`: json or yaml; without it lines for people")
		},
		run: func(_ context.Context, args []string, c Console) error {
			if err := noArguments(args); err != nil {
				return err
			}
			switch build := buildinfo.Read(); output {
			case "":
				return printBuild(s.Name, build, c.Out)
			case "json":
				return printJSON(build, c.Out)
			case "yaml":
				return printYAML(build, c.Out)
			}
			return fmt.Errorf("-o %s: want json or yaml", output)
		},
	}
}

// PrintVersion says what the program was built of.
func PrintVersion(s program.Server, c Console) error {
	return printBuild(s.Name, buildinfo.Read(), c.Out)
}

// printBuild begins with a line that scripts can take apart.
func printBuild(program string, b buildinfo.Info, out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s %s\n", program, b.Version)
	for _, line := range [][2]string{
		{"module", b.Module}, {"revision", b.Revision}, {"of", b.Time}, {"tree", b.TreeState()},
		{"kubernetes", b.Kubernetes}, {"typeplane", b.Typeplane}, {"go", b.Go}, {"platform", b.Platform},
	} {
		if line[1] != "" {
			fmt.Fprintf(w, "  %s:\t%s\n", line[0], line[1])
		}
	}
	return w.Flush()
}

func printJSON(value any, out io.Writer) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s\n", text)
	return err
}

func printYAML(value any, out io.Writer) error {
	text, err := yaml.Marshal(value)
	if err != nil {
		return err
	}
	_, err = out.Write(text)
	return err
}
