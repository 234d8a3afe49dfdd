package serve

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/delegated"
	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/recovery"
)

// delegation is what other servers decide, as far as the operator asks for it.
type delegation struct {
	// trusted comes before the server's own certificates, tokens after all that the server knows by
	// itself.
	trusted auth.Union
	tokens  auth.Tokens
	// access is asked after the server's own authorizers.
	access auth.Authorizers
	// webhook is that of --authorization-mode=Webhook, nil where there is none.
	webhook auth.Authorizer
	// namespaces are the cluster's, nil where there is no cluster.
	namespaces *delegated.Namespaces
}

// openDelegation reads the files, and from the cluster whom it trusts.
func (p *plan) openDelegation(ctx context.Context, opened *closers) (*delegation, error) {
	// The issuers of our own tokens, which are audiences too, mean nothing to others.
	o, audiences := &p.options.Delegation, p.options.Authentication.APIAudiences
	paths, err := delegated.NewPaths(o.AlwaysAllowPaths)
	if err != nil {
		return nil, fmt.Errorf("--authorization-always-allow-paths: %w", err)
	}
	d := &delegation{access: auth.Authorizers{paths}}
	if o.AuthenticationKubeconfig != "" {
		client, err := p.openCluster(opened, "authentication-kubeconfig", o.AuthenticationKubeconfig)
		if err != nil {
			return nil, err
		}
		d.tokens = append(d.tokens, delegated.NewTokens(client, audiences, o.TokenTTL))
		d.namespaces = delegated.NewNamespaces(client)
		if err := p.openTrust(ctx, d, client, opened); err != nil {
			return nil, err
		}
	}
	if o.TokenWebhook != "" {
		client, err := p.openWebhook(opened, "authentication-token-webhook-config-file", o.TokenWebhook)
		if err != nil {
			return nil, err
		}
		d.tokens = append(d.tokens, delegated.NewTokenWebhook(client, audiences, o.TokenTTL))
	}
	if o.AuthorizationKubeconfig != "" {
		client, err := p.openCluster(opened, "authorization-kubeconfig", o.AuthorizationKubeconfig)
		if err != nil {
			return nil, err
		}
		d.access = append(d.access, delegated.NewAccess(client, o.AllowTTL, o.DenyTTL))
	}
	if o.AccessWebhook != "" {
		client, err := p.openWebhook(opened, "authorization-webhook-config-file", o.AccessWebhook)
		if err != nil {
			return nil, err
		}
		d.webhook = delegated.NewAccessWebhook(client, o.AllowTTL, o.DenyTTL)
	}
	return d, nil
}

// openCluster reaches the cluster that a flag names.
func (p *plan) openCluster(opened *closers, flag, file string) (*delegated.Client, error) {
	if file != program.InCluster {
		return p.openWebhook(opened, flag, file)
	}
	config, err := delegated.InCluster(delegated.ServiceAccountDir)
	return p.openClient(opened, flag, file, config, err)
}

// openWebhook reaches what the file that a flag names leads to.
func (p *plan) openWebhook(opened *closers, flag, file string) (*delegated.Client, error) {
	config, err := delegated.ReadKubeconfig(file)
	return p.openClient(opened, flag, file, config, err)
}

func (p *plan) openClient(opened *closers, flag, file string, config delegated.Config, err error) (*delegated.Client, error) {
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	what := "certificate of --" + flag
	logInvalid(p.log, what, file, slices.Concat(config.CA, config.Cert))
	logInvalidFile(p.log, what, config.CAFile)
	logInvalidFile(p.log, what, config.CertFile)

	client, err := delegated.NewClient(config)
	if err != nil {
		return nil, fmt.Errorf("--%s=%s: %w", flag, file, err)
	}
	opened.add(func() error {
		client.Close()
		return nil
	})
	return client, nil
}

// openTrust reads whom the cluster trusts, and follows it until everything is closed.
func (p *plan) openTrust(ctx context.Context, d *delegation, client *delegated.Client, opened *closers) error {
	o := &p.options.Delegation
	if o.SkipLookup {
		return nil
	}
	cluster := delegated.NewCluster(client, p.options.Authentication.RequestHeaderCAFile == "", p.log)
	if err := cluster.Load(ctx); err != nil {
		if !o.TolerateLookupFailure {
			return fmt.Errorf("--authentication-kubeconfig=%s: %w; --authentication-skip-lookup does without it, --authentication-tolerate-lookup-failure waits for it", o.AuthenticationKubeconfig, err)
		}
		p.log.Warn("whom the cluster trusts is not known yet", "error", err)
	}
	d.trusted = append(d.trusted, cluster)
	following, stop := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() { recovery.Loop(following, p.log, "delegation", cluster.Follow) })
	opened.add(func() error {
		stop()
		done.Wait()
		return nil
	})
	return nil
}
