package gen

import (
	"fmt"
	"io"

	"github.com/typeplane/typeplane/generators/internal/scaffold"
)

// adders are what gen add can add.
var adders = map[string]func(args []string, stdout, stderr io.Writer) int{
	"kind": addKind, "version": addVersion, "subresource": addSubresource, "admission": addAdmission,
}

const addUsage = `gen add adds to a module that has a server.

    gen add kind NAME               a kind, with a rule, a test and a sample
    gen add version VERSION         a version of a group, a copy of the newest
    gen add subresource KIND NAME   an action on a kind, like …/{name}/cancel
    gen add admission NAME          an admission plug-in

Each of them has --help. No file that exists is written over.
`

func add(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 || args[0] == "--help" || args[0] == "-h" {
		fmt.Fprint(stdout, addUsage)
		return ok
	}
	adder, known := adders[args[0]]
	if !known {
		return misused(stderr, fmt.Errorf("add %s: want kind, version, subresource or admission", args[0]))
	}
	return adder(args[1:], stdout, stderr)
}

func addKind(args []string, stdout, stderr io.Writer) int {
	c := newSubcommand("add kind [flags] NAME", "gen add kind writes a kind with a default, rules, columns and a status, its strategy, a test and a sample.", stdout, stderr)
	var o scaffold.KindConfig
	c.flags.StringVar(&o.Group, "group", "", "API `group` of the kind (the only one)")
	c.flags.StringVar(&o.Version, "version", "", "`version` of the group (the newest)")
	c.flags.BoolVar(&o.Cluster, "cluster", false, "have it in no namespace")
	return c.adds(args, 1, &o.Config, func(names []string) (scaffold.Result, error) {
		o.Kind = names[0]
		return scaffold.AddKind(o)
	})
}

func addVersion(args []string, stdout, stderr io.Writer) int {
	c := newSubcommand("add version [flags] VERSION", "gen add version copies the newest version of a group. Objects stay stored as they are.", stdout, stderr)
	var o scaffold.VersionConfig
	c.flags.StringVar(&o.Group, "group", "", "API `group` (the only one)")
	return c.adds(args, 1, &o.Config, func(names []string) (scaffold.Result, error) {
		o.Version = names[0]
		return scaffold.AddVersion(o)
	})
}

func addSubresource(args []string, stdout, stderr io.Writer) int {
	c := newSubcommand("add subresource [flags] KIND NAME", "gen add subresource writes an action: the type of what is sent to …/{name}/NAME, and the method that answers.", stdout, stderr)
	var o scaffold.SubresourceConfig
	return c.adds(args, 2, &o.Config, func(names []string) (scaffold.Result, error) {
		o.Kind, o.Name = names[0], names[1]
		return scaffold.AddSubresource(o)
	})
}

func addAdmission(args []string, stdout, stderr io.Writer) int {
	c := newSubcommand("add admission [flags] NAME", "gen add admission writes an admission plug-in.", stdout, stderr)
	var o scaffold.AdmissionConfig
	c.flags.StringVar(&o.Group, "group", "", "API `group` whose objects it is asked about (the only one)")
	return c.adds(args, 1, &o.Config, func(names []string) (scaffold.Result, error) {
		o.Name = names[0]
		return scaffold.AddAdmission(o)
	})
}

// adds reads the arguments, of which there are n, and the module, and does it.
func (c *subcommand) adds(args []string, n int, config *scaffold.Config, do func(names []string) (scaffold.Result, error)) int {
	names, status := c.parse(args, n, n)
	if names == nil {
		return status
	}
	var err error
	if *config, err = c.config(); err != nil {
		return c.tell(scaffold.Result{}, err)
	}
	return c.tell(do(names))
}
