package gen

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/progress"

	"github.com/spf13/pflag"
)

// Exit statuses.
const (
	ok     = 0
	failed = 1
	misuse = 2
)

// options are the flags.
type options struct {
	generators string
	headerFile string
	breaking   string
	crd        string
	verify     bool
	verbose    bool
	unknown    string
	cache      bool
	inline     bool
}

func run(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		return nextSteps(stdout)
	}
	switch args[0] {
	case "tags":
		return tags(args[1:], stdout, stderr)
	case "init":
		return initModule(args[1:], stdout, stderr)
	case "add":
		return add(args[1:], stdout, stderr)
	}
	var o options
	flags := pflag.NewFlagSet("gen", pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.generators, "generators", "", "comma list of the generators to run (default all)")
	flags.StringVar(&o.headerFile, "go-header-file", "", "file with the license comment that generated Go files begin with")
	flags.BoolVar(&o.verify, "verify", false, "write nothing; fail and name the files that are out of date")
	flags.StringVar(&o.breaking, "check-breaking", "", "write nothing; compare the API types with those of a git commit, and fail if clients or stored objects would break")
	flags.StringVar(&o.crd, "check-crd", "", "write nothing; compare the API types of servers with the CustomResourceDefinitions in a `file or folder`, and fail where they differ")
	flags.StringVar(&o.unknown, "unknown-tags", "error", "what a tag is that begins with k8s:, kubebuilder:, typeplane: or genclient: and that gen does not know, or that has no effect where it stands: error or warn")
	flags.BoolVar(&o.cache, "cache", true, "do nothing if nothing has changed since a run that left all up to date; false does all the work")
	flags.BoolVar(&o.inline, "inline-runtime", false, "print what generated code leans on beside it, instead of importing github.com/typeplane/typeplane/runtime; JSON code and servers import it all the same")
	flags.BoolVarP(&o.verbose, "verbose", "v", false, "say what happens to each file and how long each step takes")
	if err := flags.Parse(args); errors.Is(err, pflag.ErrHelp) {
		usage(stdout, flags)
		return ok
	} else if err != nil {
		return misused(stderr, err)
	}
	if flags.NArg() == 0 {
		return misused(stderr, errors.New("no packages: say for which to generate, ./... for all here"))
	}
	cfg, err := o.config(flags.Args(), stderr)
	if err != nil {
		return misused(stderr, err)
	}
	defer cfg.Progress.Close()
	if flags.Changed("check-breaking") {
		if o.verify || o.generators != "" {
			return misused(stderr, errors.New("--check-breaking generates nothing: leave --verify and --generators out"))
		}
		return checkBreaking(cfg, o.breaking, stderr)
	}
	if flags.Changed("check-crd") {
		if o.verify || o.generators != "" {
			return misused(stderr, errors.New("--check-crd generates nothing: leave --verify and --generators out"))
		}
		return checkCRD(cfg, o.crd, stdout, stderr)
	}
	cfg.CacheKey = cacheKey(flags)
	result, err := generators.Run(cfg)
	cfg.Progress.Close()
	if err != nil {
		fmt.Fprintln(stderr, "gen:", err)
		return failed
	}
	return report(result, o.verify, stderr)
}

// cacheKey are the flags that the outcome may depend on: all but those that say what to do with it.
func cacheKey(flags *pflag.FlagSet) []string {
	var out []string
	flags.Visit(func(f *pflag.Flag) {
		if f.Name != "verify" && f.Name != "verbose" && f.Name != "cache" {
			out = append(out, f.Name+"="+f.Value.String())
		}
	})
	return out
}

func (o options) config(patterns []string, log io.Writer) (generators.Config, error) {
	all := plugins()
	selected, err := generators.Select(all, o.generators)
	if err != nil {
		return generators.Config{}, err
	}
	header, err := generators.ReadHeader(o.headerFile)
	if err != nil {
		return generators.Config{}, fmt.Errorf("--go-header-file: %w", err)
	}
	if o.unknown != "error" && o.unknown != "warn" {
		return generators.Config{}, fmt.Errorf("--unknown-tags=%s: want error or warn", o.unknown)
	}
	cfg := generators.Config{
		Patterns: patterns, Plugins: selected, Known: all, Header: header, Verify: o.verify,
		WarnUnknownTags: o.unknown == "warn", InlineRuntime: o.inline,
	}
	if o.verbose {
		cfg.Log = log
	} else {
		cfg.Progress = progress.New(log)
	}
	if folder, err := os.UserCacheDir(); err == nil && o.cache {
		cfg.Cache = filepath.Join(folder, "typeplane", "gen")
	}
	return cfg, nil
}

// report prints what was found and returns the exit status.
func report(result generators.Result, verify bool, stderr io.Writer) int {
	for _, w := range result.Warnings {
		fmt.Fprintln(stderr, "warning:", w)
	}
	for _, p := range result.Problems {
		fmt.Fprintln(stderr, p)
	}
	if n := len(result.Problems); n > 0 {
		fmt.Fprintf(stderr, "gen: %s, nothing was written\n", count(n, "problem"))
		return failed
	}
	if !verify {
		return ok
	}
	stale := result.OutOfDate()
	for _, c := range stale {
		fmt.Fprintf(stderr, "%s: %s\n", c.Path, verdict(c.State))
	}
	if len(stale) > 0 {
		fmt.Fprintf(stderr, "gen: %s out of date; run gen without --verify\n", count(len(stale), "file"))
		return failed
	}
	return ok
}

func verdict(s emit.State) string {
	switch s {
	case emit.Missing:
		return "is missing"
	case emit.Differs:
		return "differs from what gen would write"
	default:
		return "is " + string(s)
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func misused(stderr io.Writer, err error) int {
	fmt.Fprintf(stderr, "gen: %v\nSee gen --help.\n", err)
	return misuse
}

// nextSteps says what to begin with when gen is called without a word.
func nextSteps(stdout io.Writer) int {
	fmt.Fprint(stdout, `gen makes an API server of annotated Go types.

    gen init example.com/shop    begin a module: a kind, its server, a test
    gen add kind Order           add a kind to it; gen add --help says what else
    gen ./...                    print the code for the types of this module
    gen tags                     which tags there are
    gen --help                   all flags
`)
	return misuse
}
