package program

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/typeplane/typeplane/internal/delegated"
)

// InCluster is the value of a kubeconfig flag that means the service account of the pod that the
// server runs in.
const InCluster = "in-cluster"

// DelegationOptions says which other servers are asked who sends a request and whether they may
// have it; without them nobody is. A server behind an aggregator asks the cluster, a stand-alone
// one webhooks.
type DelegationOptions struct {
	// AuthenticationKubeconfig and AuthorizationKubeconfig lead to the cluster: a file, or
	// "in-cluster" for the service account of the pod.
	AuthenticationKubeconfig, AuthorizationKubeconfig string
	// SkipLookup does not read from the cluster which front proxies and client certificates it
	// trusts. TolerateLookupFailure starts anyway when that fails, and goes on trying.
	SkipLookup, TolerateLookupFailure bool
	// TokenWebhook and AccessWebhook are files in the form of a kubeconfig; the URL in it is where
	// reviews are posted to.
	TokenWebhook, AccessWebhook string
	// TokenTTL, AllowTTL and DenyTTL are how long answers are good: about a token, a yes and a no.
	// 0 asks each time.
	TokenTTL, AllowTTL, DenyTTL time.Duration
	// AlwaysAllowPaths are what nobody is asked about: paths, and prefixes that end in a star.
	AlwaysAllowPaths []string
}

// delegationTTL is short, since a right that is taken away must be gone soon, and long enough for
// the bursts of clients.
const delegationTTL = 10 * time.Second

func newDelegationOptions() DelegationOptions {
	return DelegationOptions{
		TokenTTL: delegationTTL, AllowTTL: delegationTTL, DenyTTL: delegationTTL,
		AlwaysAllowPaths: []string{"/healthz", "/readyz", "/livez"},
	}
}

func (o *DelegationOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.AuthenticationKubeconfig, "authentication-kubeconfig", o.AuthenticationKubeconfig, "kubeconfig `file` of the cluster whose users come here: tokens are reviewed there, and its front proxies are trusted; "+InCluster+" takes the pod's service account")
	fs.BoolVar(&o.SkipLookup, "authentication-skip-lookup", o.SkipLookup, "do not read from that cluster which front proxies and client certificates it trusts")
	fs.BoolVar(&o.TolerateLookupFailure, "authentication-tolerate-lookup-failure", o.TolerateLookupFailure, "start even if that can't be read, and go on trying; until then only tokens and the server's own certificates are known")
	fs.DurationVar(&o.TokenTTL, "authentication-token-webhook-cache-ttl", o.TokenTTL, "`time` for which the review of a token is good; 0 asks each time")
	fs.StringVar(&o.TokenWebhook, "authentication-token-webhook-config-file", o.TokenWebhook, "`file` in the form of a kubeconfig with the webhook that reviews tokens")

	fs.StringVar(&o.AuthorizationKubeconfig, "authorization-kubeconfig", o.AuthorizationKubeconfig, "kubeconfig `file` of the cluster that is asked what users may do; "+InCluster+" takes the pod's service account")
	fs.DurationVar(&o.AllowTTL, "authorization-webhook-cache-authorized-ttl", o.AllowTTL, "`time` for which a yes is good; 0 asks each time")
	fs.DurationVar(&o.DenyTTL, "authorization-webhook-cache-unauthorized-ttl", o.DenyTTL, "`time` for which a no is good; 0 asks each time")
	fs.StringVar(&o.AccessWebhook, "authorization-webhook-config-file", o.AccessWebhook, "`file` in the form of a kubeconfig with the webhook that is asked what users may do")
	fs.StringSliceVar(&o.AlwaysAllowPaths, "authorization-always-allow-paths", o.AlwaysAllowPaths, "comma-separated `paths`, or prefixes with a star, that every user may have whom the server knows")
}

func (o *DelegationOptions) validate() error {
	var errs []error
	for flag, ttl := range map[string]time.Duration{
		"authentication-token-webhook-cache-ttl":       o.TokenTTL,
		"authorization-webhook-cache-authorized-ttl":   o.AllowTTL,
		"authorization-webhook-cache-unauthorized-ttl": o.DenyTTL,
	} {
		if ttl < 0 {
			errs = append(errs, fmt.Errorf("--%s=%v: want a time, or 0", flag, ttl))
		}
	}
	if o.AuthenticationKubeconfig == "" {
		for flag, set := range map[string]bool{"authentication-skip-lookup": o.SkipLookup, "authentication-tolerate-lookup-failure": o.TolerateLookupFailure} {
			if set {
				errs = append(errs, fmt.Errorf("--%s: nothing is looked up without --authentication-kubeconfig", flag))
			}
		}
	}
	if o.SkipLookup && o.TolerateLookupFailure {
		errs = append(errs, errors.New("--authentication-skip-lookup and --authentication-tolerate-lookup-failure exclude each other"))
	}
	if _, err := delegated.NewPaths(o.AlwaysAllowPaths); err != nil {
		errs = append(errs, fmt.Errorf("--authorization-always-allow-paths: %w", err))
	}
	return errors.Join(errs...)
}
