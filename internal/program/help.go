package program

import (
	"slices"

	"github.com/spf13/pflag"
)

// FlagGroup is a part of a program's help: flags that an operator needs for the same task.
type FlagGroup struct {
	Title string
	Flags []*pflag.Flag
}

// firstFlags are those that most servers are started with. The help of a server begins with them.
var firstFlags = []string{
	"data-dir", "etcd-servers", "cluster-secret-file", "bind-address", "secure-port",
	"tls-cert-file", "tls-private-key-file", "encryption-provider-config", "enable-api", configFlag,
}

// tasks are the groups of all flags, by their names. Every flag of a server is in one of them.
var tasks = []struct {
	title string
	flags []string
}{
	{"Where it listens, and how it shows who it is", []string{"bind-address", "secure-port", "tls-cert-file", "tls-private-key-file", "tls-san", "cors-allowed-origins"}},
	{"Where objects are kept", []string{"data-dir", "etcd-servers", "etcd-servers-overrides", "etcd-cafile", "etcd-certfile", "etcd-keyfile", "etcd-prefix", "etcd-compaction-interval", "cluster-secret-file"}},
	{"In which form objects are kept", []string{"storage-media-type", "storage-versions", "storage-migration-rate", "encryption-provider-config", "encryption-provider-config-automatic-reload"}},
	{"What is served", []string{"enable-api", "console", "event-ttl", "garbage-collector", flagDisableControllers}},
	{"What admission makes of a write", []string{FlagEnablePlugins, FlagDisablePlugins, FlagAdmissionControl, FlagAdmissionConfig}},
	{"Who may come in", []string{"client-ca-file", "token-auth-file", "anonymous-auth"}},
	{"Who may come in from an OpenID Connect provider", []string{
		"oidc-issuer-url", "oidc-client-id", "oidc-ca-file", "oidc-username-claim", "oidc-username-prefix", "oidc-groups-claim", "oidc-groups-prefix",
		"oidc-required-claim", "oidc-signing-algs",
	}},
	{"Who may come in from another server", []string{
		"authentication-kubeconfig", "authentication-skip-lookup", "authentication-tolerate-lookup-failure",
		"authentication-token-webhook-config-file", "authentication-token-webhook-cache-ttl",
		"requestheader-client-ca-file", "requestheader-allowed-names", "requestheader-username-headers", "requestheader-uid-headers",
		"requestheader-group-headers", "requestheader-extra-headers-prefix",
	}},
	{"Service accounts", []string{
		"service-account-issuer", "service-account-signing-key-file", "service-account-key-file", "service-account-jwks-uri", "service-account-lookup",
		"api-audiences", "root-ca-file",
	}},
	{"Who may do what", []string{
		"authorization-mode", "authorization-always-allow-paths", "authorization-kubeconfig", "authorization-webhook-config-file",
		"authorization-webhook-cache-authorized-ttl", "authorization-webhook-cache-unauthorized-ttl",
	}},
	{"Limits", []string{
		"max-requests-inflight", "max-mutating-requests-inflight", FlagFairness, "max-watches-per-user", "http2-max-streams-per-connection", "request-timeout", "min-request-timeout",
	}},
	{"What is kept in memory", []string{"watch-cache"}},
	{"Logs, audit and traces", []string{
		"v", "logging-format", "audit-log-path", "audit-policy-file", "audit-log-maxsize", "audit-log-maxbackup", "audit-log-maxage", FlagTracingConfig,
	}},
	{"How it stops", []string{"shutdown-delay-duration", "shutdown-watch-termination-grace-period"}},
	{"Settings, and what does not serve", []string{configFlag, printConfigFlag, versionFlag}},
}

// ServerGroups are the flags of a server as its help shows them: those that most need, and then the
// others by task.
func ServerGroups(fs *pflag.FlagSet) []FlagGroup {
	first := lookup(fs, firstFlags, nil)
	return append(titled("What most servers are started with", first), byTask(fs, first)...)
}

// CommandGroups are the flags of a command: those that only it has, and then the server's by task.
func CommandGroups(fs *pflag.FlagSet) []FlagGroup {
	shared := byTask(fs, nil)
	var own []*pflag.Flag
	fs.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && !slices.ContainsFunc(shared, func(g FlagGroup) bool { return slices.Contains(g.Flags, f) }) {
			own = append(own, f)
		}
	})
	return append(titled("Flags", own), shared...)
}

func byTask(fs *pflag.FlagSet, without []*pflag.Flag) (groups []FlagGroup) {
	for _, t := range tasks {
		groups = append(groups, titled(t.title, lookup(fs, t.flags, without))...)
	}
	return groups
}

// lookup returns the flags of some names that fs has and shows.
func lookup(fs *pflag.FlagSet, names []string, without []*pflag.Flag) (found []*pflag.Flag) {
	for _, name := range names {
		if f := fs.Lookup(name); f != nil && !f.Hidden && !slices.Contains(without, f) {
			found = append(found, f)
		}
	}
	return found
}

// titled is a group, or none where there is nothing in it.
func titled(title string, flags []*pflag.Flag) []FlagGroup {
	if len(flags) == 0 {
		return nil
	}
	return []FlagGroup{{title, flags}}
}
