package tool

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/pflag"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/delegated"
	"github.com/typeplane/typeplane/internal/kubeconfig"
	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/users"
)

// validByDefault is a month.
const validByDefault = 30 * 24 * time.Hour

func userCommand(s program.Server) command {
	u := &userTool{program: s.Name, dataDir: program.NewOptions(s.Name).Store.DataDir, user: users.User{Valid: validByDefault}}
	return command{
		name: "user", args: "add NAME | list | revoke NAME", about: "gives people credentials, lists these, and revokes them",
		more: "add prints a kubeconfig with a new client certificate, for the user NAME in the groups of --group. Its key is\n" +
			"nowhere else, so keep the output: " + s.Name + " user add ann > ann.kubeconfig. What ann may do is for role bindings to\n" +
			"say: --clusterrole makes one, and kubectl create rolebinding others. list shows what was given out. revoke has every\n" +
			"replica refuse all that NAME has, at once and for ever, and ends what they watch; a user who is added again gets\n" +
			"another certificate.\n\n" +
			"It talks to the server that runs on the data directory, as its administrator, or to the one of --kubeconfig.",
		first: []string{"add", "list", "revoke"},
		flags: u.flags,
		run:   u.run,
	}
}

// userTool is one run of the command.
type userTool struct {
	program             string
	set                 *pflag.FlagSet
	user                users.User
	role                string
	dataDir, kubeconfig string
	server              string
}

func (u *userTool) flags(fs *pflag.FlagSet) {
	u.set = fs
	fs.StringArrayVar(&u.user.Groups, "group", nil, "a `group` that the user is in; may be repeated (add)")
	fs.StringVar(&u.role, "clusterrole", "", "a `ClusterRole` that the user has from now on, in all namespaces, like cluster-admin or view (add)")
	fs.DurationVar(&u.user.Valid, "valid", u.user.Valid, "how long the certificate is good, from 10m to 8760h (add)")
	fs.StringVar(&u.server, "server", "", "`URL` of the server as the user reaches it; without it, as this command does (add)")
	fs.StringVar(&u.dataDir, "data-dir", u.dataDir, "`directory` of the server, with its admin.kubeconfig")
	fs.StringVar(&u.kubeconfig, "kubeconfig", "", "`file` that leads to the server; without it, the admin.kubeconfig of --data-dir")
}

func (u *userTool) run(ctx context.Context, args []string, c Console) error {
	if len(args) == 0 {
		return errors.New("want one of add NAME, list and revoke NAME; see --help")
	}
	action, args := args[0], args[1:]
	do, known := map[string]func(context.Context, []string, *reached, Console) error{"add": u.add, "list": u.list, "revoke": u.revoke}[action]
	if !known {
		return fmt.Errorf("%q: want one of add NAME, list and revoke NAME; see --help", action)
	}
	for _, flag := range []string{"group", "clusterrole", "valid", "server"} {
		if action != "add" && u.set.Changed(flag) {
			return fmt.Errorf("--%s is for user add, and %s %s does nothing with it", flag, u.program, action)
		}
	}
	if action == "add" {
		if err := u.check(args); err != nil {
			return err
		}
	}
	r, err := u.reach()
	if err != nil {
		return err
	}
	defer r.client.Close()
	return do(ctx, args, r, c)
}

// check says what is wrong with a user who is to be added.
func (u *userTool) check(args []string) error {
	name, err := oneArgument(args, "the name of the user")
	if err != nil {
		return err
	}
	var errs []error
	if name == "" || strings.HasPrefix(name, "system:") {
		errs = append(errs, fmt.Errorf("%q: want a name that does not begin with system:, as those of the server's own do", name))
	}
	if slices.Contains(u.user.Groups, "") {
		errs = append(errs, errors.New("--group: want a name"))
	}
	if slices.Contains(u.user.Groups, auth.GroupMasters) {
		errs = append(errs, fmt.Errorf("--group=%s: its members may do everything, and nobody can take that back; give the user a role: --clusterrole=cluster-admin", auth.GroupMasters))
	}
	if v := u.user.Valid; v < users.MinValid || v > users.MaxValid {
		errs = append(errs, fmt.Errorf("--valid=%s: want from %s to %s", v, users.MinValid, users.MaxValid))
	}
	if server, err := url.Parse(u.server); u.server != "" && (err != nil || server.Scheme != "https" || server.Host == "") {
		errs = append(errs, fmt.Errorf("--server=%s: want a URL like https://api.example.com:6443", u.server))
	}
	u.user.Name = name
	return errors.Join(errs...)
}

// reached is the server that the command talks to.
type reached struct {
	config delegated.Config
	client *delegated.Client
}

func (u *userTool) reach() (*reached, error) {
	file, config, err := readKubeconfig(u.dataDir, u.kubeconfig)
	if err != nil {
		return nil, err
	}
	client, err := delegated.NewClient(config)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return &reached{config, client}, nil
}

// authority is who signs the server's certificate, in PEM.
func (r *reached) authority() ([]byte, error) {
	if r.config.CAFile == "" {
		return r.config.CA, nil
	}
	return os.ReadFile(r.config.CAFile)
}

func (u *userTool) add(ctx context.Context, _ []string, r *reached, c Console) error {
	ca, err := r.authority()
	if err != nil {
		return err
	}
	if u.role != "" {
		if err := users.Bind(ctx, r.client, u.user.Name, u.role); err != nil {
			return fmt.Errorf("--clusterrole: %w", err)
		}
	}
	issued, err := users.Add(ctx, r.client, u.user)
	if err != nil {
		return err
	}
	config := kubeconfig.Config{
		Name: u.program, User: u.user.Name, Server: r.config.Server, ServerName: r.config.ServerName,
		CA: ca, Cert: issued.Cert, Key: issued.Key,
	}
	if u.server != "" {
		config.Server = u.server
	}
	text, err := config.Marshal()
	if err != nil {
		return err
	}
	c.say(fmt.Sprintf("%s is known until %s%s; %s", u.user.Name, issued.NotAfter.UTC().Format(time.RFC3339), inGroups(u.user.Groups), u.mayDo()))
	if onLoopback(config.Server) {
		c.say(fmt.Sprintf("the kubeconfig leads to %s, which is this machine only; for others name the server's address with --server", config.Server))
	}
	_, err = c.Out.Write(text)
	return err
}

// mayDo says where the user's rights come from.
func (u *userTool) mayDo() string {
	if u.role == "" {
		return "roles say what they may do: kubectl create rolebinding"
	}
	return "the role " + u.role + " says what they may do"
}

func inGroups(groups []string) string {
	if len(groups) == 0 {
		return ""
	}
	return ", in " + strings.Join(groups, ", ")
}

// onLoopback says whether a URL is good on one machine only.
func onLoopback(server string) bool {
	u, err := url.Parse(server)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

func (u *userTool) list(ctx context.Context, args []string, r *reached, c Console) error {
	if err := noArguments(args); err != nil {
		return err
	}
	records, err := users.List(ctx, r.client, "")
	if err != nil {
		return err
	}
	slices.SortFunc(records, func(a, b users.Record) int {
		if by := strings.Compare(a.Spec.Username, b.Spec.Username); by != 0 {
			return by
		}
		return a.Spec.NotAfter.Compare(b.Spec.NotAfter.Time)
	})
	w := tabwriter.NewWriter(c.Out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "NAME\tGROUPS\tUNTIL\tSTATE\tCREDENTIAL")
	for i := range records {
		spec := &records[i].Spec
		groups := strings.Join(spec.Groups, ",")
		if groups == "" {
			groups = "<none>"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", spec.Username, groups, spec.NotAfter.UTC().Format(time.RFC3339), state(spec.Revoked, spec.NotAfter.Time), records[i].Name)
	}
	return w.Flush()
}

// state is what a credential is worth.
func state(revoked bool, until time.Time) string {
	switch {
	case revoked:
		return "revoked"
	case time.Now().After(until):
		return "ended"
	}
	return "good"
}

func (u *userTool) revoke(ctx context.Context, args []string, r *reached, c Console) error {
	name, err := oneArgument(args, "the name of the user")
	if err != nil {
		return err
	}
	n, err := users.Revoke(ctx, r.client, name)
	if err != nil {
		return err
	}
	if n == 0 {
		fmt.Fprintf(c.Out, "all that %s had was revoked before\n", name)
		return nil
	}
	fmt.Fprintf(c.Out, "%s is refused from now on: %d revoked\n", name, n)
	return nil
}
