package serve

import (
	"context"
	"fmt"
	"sync"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/auth/delegated"
	"github.com/typeplane/typeplane/internal/program"
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
}

// openDelegation reads the files, and from the cluster whom it trusts. It needs nothing of the rest
// of the Instance.
func (i *Instance) openDelegation(ctx context.Context) error {
	// The issuers of our own tokens, which are audiences too, mean nothing to others.
	o, audiences := &i.options.Delegation, i.options.Authentication.APIAudiences
	paths, err := delegated.NewPaths(o.AlwaysAllowPaths)
	if err != nil {
		return fmt.Errorf("--authorization-always-allow-paths: %w", err)
	}
	i.delegation.access = auth.Authorizers{paths}
	if o.AuthenticationKubeconfig != "" {
		client, err := i.openCluster("authentication-kubeconfig", o.AuthenticationKubeconfig)
		if err != nil {
			return err
		}
		i.delegation.tokens = append(i.delegation.tokens, delegated.NewTokens(client, audiences, o.TokenTTL))
		if err := i.openTrust(ctx, o, client); err != nil {
			return err
		}
	}
	if o.TokenWebhook != "" {
		client, err := i.openWebhook("authentication-token-webhook-config-file", o.TokenWebhook)
		if err != nil {
			return err
		}
		i.delegation.tokens = append(i.delegation.tokens, delegated.NewTokenWebhook(client, audiences, o.TokenTTL))
	}
	if o.AuthorizationKubeconfig != "" {
		client, err := i.openCluster("authorization-kubeconfig", o.AuthorizationKubeconfig)
		if err != nil {
			return err
		}
		i.delegation.access = append(i.delegation.access, delegated.NewAccess(client, o.AllowTTL, o.DenyTTL))
	}
	if o.AccessWebhook != "" {
		client, err := i.openWebhook("authorization-webhook-config-file", o.AccessWebhook)
		if err != nil {
			return err
		}
		i.delegation.webhook = delegated.NewAccessWebhook(client, o.AllowTTL, o.DenyTTL)
	}
	return nil
}

// openCluster reaches the cluster that a flag names.
func (i *Instance) openCluster(flag, file string) (*delegated.Client, error) {
	if file != program.InCluster {
		return i.openWebhook(flag, file)
	}
	config, err := delegated.InCluster(delegated.ServiceAccountDir)
	return i.openClient(flag, file, config, err)
}

// openWebhook reaches what the file that a flag names leads to.
func (i *Instance) openWebhook(flag, file string) (*delegated.Client, error) {
	config, err := delegated.ReadKubeconfig(file)
	return i.openClient(flag, file, config, err)
}

func (i *Instance) openClient(flag, file string, config delegated.Config, err error) (*delegated.Client, error) {
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	client, err := delegated.NewClient(config)
	if err != nil {
		return nil, fmt.Errorf("--%s=%s: %w", flag, file, err)
	}
	i.onClose(func() error {
		client.Close()
		return nil
	})
	return client, nil
}

// openTrust reads whom the cluster trusts, and follows it until the Instance is closed.
func (i *Instance) openTrust(ctx context.Context, o *program.DelegationOptions, client *delegated.Client) error {
	if o.SkipLookup {
		return nil
	}
	cluster := delegated.NewCluster(client, i.options.Authentication.RequestHeaderCAFile == "", i.log)
	if err := cluster.Load(ctx); err != nil {
		if !o.TolerateLookupFailure {
			return fmt.Errorf("--authentication-kubeconfig=%s: %w; --authentication-skip-lookup does without it, --authentication-tolerate-lookup-failure waits for it", o.AuthenticationKubeconfig, err)
		}
		i.log.Warn("whom the cluster trusts is not known yet", "error", err)
	}
	i.delegation.trusted = append(i.delegation.trusted, cluster)
	following, stop := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() { cluster.Follow(following) })
	i.onClose(func() error {
		stop()
		done.Wait()
		return nil
	})
	return nil
}
