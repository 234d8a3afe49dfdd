package gen

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/pflag"
	"golang.org/x/mod/module"
	"golang.org/x/term"

	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/progress"
	"github.com/typeplane/typeplane/generators/internal/scaffold"
)

// subcommand is one run of gen init or gen add.
type subcommand struct {
	stdout, stderr io.Writer
	flags          *pflag.FlagSet
	usage          string // behind gen
	doc            string
	ask            func(question, answer string) string // the answer is what Enter means
}

func newSubcommand(usage, doc string, stdout, stderr io.Writer) *subcommand {
	flags := pflag.NewFlagSet("gen", pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	return &subcommand{stdout: stdout, stderr: stderr, flags: flags, usage: usage, doc: doc, ask: asker(os.Stdin, stdout)}
}

// asker asks on a terminal; elsewhere the proposed answer is taken.
func asker(in *os.File, out io.Writer) func(question, answer string) string {
	if !term.IsTerminal(int(in.Fd())) {
		return func(_, answer string) string { return answer }
	}
	lines := bufio.NewReader(in)
	return func(question, answer string) string {
		fmt.Fprintf(out, "%s [%s]: ", question, answer)
		line, err := lines.ReadString('\n')
		if line = strings.TrimSpace(line); err != nil || line == "" {
			return answer
		}
		return line
	}
}

// parse returns the arguments. If it returns nil, the command is over, with that status.
func (c *subcommand) parse(args []string, least, most int) (names []string, status int) {
	err := c.flags.Parse(args)
	switch n := c.flags.NArg(); {
	case errors.Is(err, pflag.ErrHelp):
		fmt.Fprintf(c.stdout, "%s\nUsage:\n\n    gen %s\n\nFlags:\n\n%s", beside("", c.doc), c.usage, c.flags.FlagUsagesWrapped(helpWidth))
		return nil, ok
	case err != nil:
		return nil, misused(c.stderr, err)
	case n < least || n > most:
		return nil, misused(c.stderr, fmt.Errorf("want: gen %s", c.usage))
	}
	return append([]string{}, c.flags.Args()...), ok
}

// config is what all scaffolding needs, for the module around the current folder, or for the
// current folder.
func (c *subcommand) config() (scaffold.Config, error) {
	here, err := os.Getwd()
	if err != nil {
		return scaffold.Config{}, err
	}
	root := here
	for dir := here; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			root = dir
			break
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return scaffold.Config{
		Root: root, Known: generators.TagTable(plugins()), Log: c.stderr,
		Generate: func(patterns []string) error { return c.generate(root, patterns) },
	}, nil
}

var errNotGenerated = errors.New("the files are written, but gen is not content with them")

// generate runs gen in a folder.
func (c *subcommand) generate(root string, patterns []string) error {
	cfg := generators.Config{Dir: root, Patterns: patterns, Plugins: plugins(), Known: plugins(), Progress: progress.New(c.stderr)}
	result, err := generators.Run(cfg)
	cfg.Progress.Close()
	if err != nil {
		return err
	}
	if report(result, false, c.stderr) != ok {
		return errNotGenerated
	}
	return nil
}

// tell says what was done, and returns the exit status.
func (c *subcommand) tell(result scaffold.Result, err error) int {
	for _, path := range result.Made {
		fmt.Fprintln(c.stdout, "made    ", path)
	}
	for _, what := range result.Kept {
		fmt.Fprintln(c.stdout, "kept    ", what)
	}
	for _, line := range result.Inserted {
		fmt.Fprintln(c.stdout, "inserted", line)
	}
	if err != nil {
		fmt.Fprintln(c.stderr, "gen:", err)
		return failed
	}
	if len(result.Left) > 0 {
		fmt.Fprintf(c.stdout, "\nLeft to you:\n\n")
		for _, what := range result.Left {
			fmt.Fprintln(c.stdout, "    *", what)
		}
	}
	fmt.Fprintf(c.stdout, "\nNext:\n\n")
	for _, line := range result.Next {
		fmt.Fprintln(c.stdout, "   ", line)
	}
	return ok
}

func initModule(args []string, stdout, stderr io.Writer) int {
	c := newSubcommand("init [flags] [MODULE]", "gen init writes a module with an API server: a kind with a rule, a test, a sample, and what is around them.\nIn a module that has kinds it adds a server for them.", stdout, stderr)
	var o scaffold.InitConfig
	var clone string
	c.flags.StringVar(&o.Kind, "kind", "", "`name` of the first kind (Example)")
	c.flags.StringVar(&o.Group, "group", "", "its API `group`; it can't be changed later (the module's last word in its domain)")
	c.flags.StringVar(&o.Version, "version", "", "its `version` (v1alpha1)")
	c.flags.BoolVar(&o.APIModule, "api-module", false, "put the kinds into a module of their own, which clients import without the server")
	c.flags.StringVar(&clone, "clone", "", "take Typeplane from the `folder` of a clone, and not from a release")
	names, status := c.parse(args, 0, 1)
	if names == nil {
		return status
	}
	config, err := c.config()
	if err != nil {
		return c.tell(scaffold.Result{}, err)
	}
	o.Config, o.Origin, o.Ask = config, origin(clone), c.ask
	if len(names) > 0 {
		o.Module = names[0]
	}
	return c.tell(scaffold.Init(context.Background(), o))
}

// origin is where this gen is from: a release, or the source that it was built of. It is empty if
// neither is known.
func origin(clone string) scaffold.Origin {
	if clone != "" {
		if abs, err := filepath.Abs(clone); err == nil {
			clone = abs
		}
		return scaffold.Origin{Clone: clone}
	}
	if version := releaseVersion(); version != "" {
		return scaffold.Origin{Version: version}
	}
	_, file, _, known := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(file), "../../..")
	if _, err := os.Stat(filepath.Join(root, "cmd/gen/main.go")); !known || err != nil {
		return scaffold.Origin{}
	}
	return scaffold.Origin{Clone: root}
}

// releaseVersion is the version of Typeplane that this gen was built of, "" if that is no release.
func releaseVersion() string {
	info, known := debug.ReadBuildInfo()
	if !known {
		return ""
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path != scaffold.Typeplane || m.Replace != nil {
			continue
		}
		if v := m.Version; strings.HasPrefix(v, "v") && v != "v0.0.0" && !strings.Contains(v, "+") && !module.IsPseudoVersion(v) {
			return v
		}
	}
	return ""
}
