package main

import (
	"context"
	"strings"
)

// helmCheck is one thing that has to be so. Later ones build on what earlier ones did.
type helmCheck struct {
	name string
	run  func(ctx context.Context) error
}

func (h *helm) checks() []helmCheck {
	var list []helmCheck
	for _, area := range [][]helmCheck{h.installs(), h.upgrades(), h.rollbacks(), h.waits(), h.uninstalls()} {
		list = append(list, area...)
	}
	return list
}

func (h *helm) installs() []helmCheck {
	return []helmCheck{
		{"install: with a namespace that is not there yet", func(ctx context.Context) error {
			if _, err := h.release(ctx, "install", "one", "--create-namespace"); err != nil {
				return err
			}
			return h.inState(ctx, "one", "1 deployed")
		}},
		{"install: objects are applied on the server's side", func(ctx context.Context) error {
			return h.ownedBy(ctx, deploymentPath("one-web"), "helm Apply")
		}},
		{"install: a hook is made, and one that is to be deleted has gone", func(ctx context.Context) error {
			if err := h.data(ctx, "one-before", "said", "before"); err != nil {
				return err
			}
			return h.gone(ctx, configPath("one-passing"))
		}},
		{"install: a name that is in use is refused", func(ctx context.Context) error {
			_, err := h.release(ctx, "install", "one")
			return fails(err, "name")
		}},
		{"install: objects that are somebody else's are refused", func(ctx context.Context) error {
			if err := h.create(ctx, "/api/v1/namespaces/"+shopNamespace+"/configmaps", `{"metadata":{"name":"taken-config"}}`); err != nil {
				return err
			}
			_, err := h.release(ctx, "install", "taken")
			return fails(err, "taken-config", "ownership")
		}},
		{"install: lookup finds what is there, one or many", func(ctx context.Context) error {
			if err := h.create(ctx, "/api/v1/namespaces/"+shopNamespace+"/configmaps", `{"metadata":{"name":"outside"},"data":{"word":"rosebud"}}`); err != nil {
				return err
			}
			if _, err := h.release(ctx, "install", "two"); err != nil {
				return err
			}
			if err := h.data(ctx, "two-config", "found", "rosebud"); err != nil {
				return err
			}
			return h.data(ctx, "two-config", "many", "true")
		}},
		{"install: capabilities come from discovery", func(ctx context.Context) error {
			return h.data(ctx, "two-config", "deployments", "true")
		}},
		{"install: --dry-run=server looks up, and makes nothing", func(ctx context.Context) error {
			out, err := h.release(ctx, "install", "dry", "--dry-run=server")
			if err != nil {
				return err
			}
			if err := equal("whether it prints what was looked up", strings.Contains(out, "rosebud"), true); err != nil {
				return err
			}
			return h.gone(ctx, configPath("dry-config"))
		}},
		{"install: --server-side=false creates", func(ctx context.Context) error {
			if _, err := h.release(ctx, "install", "old", "--server-side=false"); err != nil {
				return err
			}
			return h.ownedBy(ctx, deploymentPath("old-web"), "helm Update")
		}},
		{"install: what is invalid is refused with its path", func(ctx context.Context) error {
			_, err := h.release(ctx, "install", "bad", "--set", "port=80800")
			return fails(err, "spec.template.spec.containers[0].ports[0].containerPort")
		}},
		{"install: a field that there is not is refused", func(ctx context.Context) error {
			_, err := h.release(ctx, "install", "odd", "--set", "unknown=yes")
			return fails(err, "dada")
		}},
		{"install: status shows the objects as tables", func(ctx context.Context) error {
			out, err := h.run(ctx, "status", "one")
			if err != nil {
				return err
			}
			for _, words := range []string{"==> v1/Deployment", "AVAILABLE", "==> v1/ConfigMap", "DATA"} {
				if !strings.Contains(out, words) {
					return equal("what status prints", out, "something with "+words)
				}
			}
			return nil
		}},
		{"install: get says what was installed", func(ctx context.Context) error {
			out, err := h.run(ctx, "get", "manifest", "one")
			if err != nil {
				return err
			}
			return equal("whether it names the deployment", strings.Contains(out, "name: one-web"), true)
		}},
	}
}

func (h *helm) upgrades() []helmCheck {
	return []helmCheck{
		{"upgrade: applied on the server's side, with an object more", func(ctx context.Context) error {
			if _, err := h.release(ctx, "upgrade", "one", "--set", "color=green,extra=true"); err != nil {
				return err
			}
			if err := h.data(ctx, "one-config", "color", "green"); err != nil {
				return err
			}
			_, err := h.get(ctx, "/api/v1/namespaces/"+shopNamespace+"/secrets/one-extra")
			return err
		}},
		{"upgrade: an object that the chart has no more goes", func(ctx context.Context) error {
			if _, err := h.release(ctx, "upgrade", "one", "--set", "color=blue"); err != nil {
				return err
			}
			return h.gone(ctx, "/api/v1/namespaces/"+shopNamespace+"/secrets/one-extra")
		}},
		{"upgrade: a hook runs after it", func(ctx context.Context) error { return h.data(ctx, "one-upgraded", "revision", "3") }},
		{"upgrade: what somebody else owns is a conflict", func(ctx context.Context) error {
			body := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"one-config"},"data":{"color":"black"}}`
			if err := h.take(ctx, configPath("one-config"), body); err != nil {
				return err
			}
			_, err := h.release(ctx, "upgrade", "one", "--set", "color=white")
			return fails(err, "conflict", "somebody", ".data.color")
		}},
		{"upgrade: --force-conflicts takes it", func(ctx context.Context) error {
			if _, err := h.release(ctx, "upgrade", "one", "--set", "color=white", "--force-conflicts"); err != nil {
				return err
			}
			return h.data(ctx, "one-config", "color", "white")
		}},
		{"upgrade: --server-side=false patches three ways, and leaves what others set", func(ctx context.Context) error {
			if err := h.merge(ctx, deploymentPath("old-web"), `{"spec":{"paused":true,"template":{"spec":{"hostname":"set-by-others"}}}}`); err != nil {
				return err
			}
			if _, err := h.release(ctx, "upgrade", "old", "--server-side=false", "--set", "replicas=5,color=green"); err != nil {
				return err
			}
			o, err := h.object(ctx, deploymentPath("old-web"))
			if err != nil {
				return err
			}
			return all(
				func() error { return equal("replicas", o.at("spec", "replicas"), 5) },
				func() error { return equal("paused", o.at("spec", "paused"), true) },
				func() error { return equal("hostname", o.at("spec", "template", "spec", "hostname"), "set-by-others") },
			)
		}},
		{"upgrade: from one side to the other", func(ctx context.Context) error {
			if _, err := h.release(ctx, "upgrade", "old", "--server-side=true", "--force-conflicts", "--set", "replicas=6"); err != nil {
				return err
			}
			return h.ownedBy(ctx, deploymentPath("old-web"), "helm Apply")
		}},
		{"upgrade: --install where there is none", func(ctx context.Context) error {
			if _, err := h.release(ctx, "upgrade", "three", "--install", "--set", "deployment=false"); err != nil {
				return err
			}
			return h.inState(ctx, "three", "1 deployed")
		}},
		{"upgrade: --dry-run=server changes nothing", func(ctx context.Context) error {
			if _, err := h.release(ctx, "upgrade", "three", "--dry-run=server", "--set", "color=green"); err != nil {
				return err
			}
			return h.data(ctx, "three-config", "color", "red")
		}},
		{"upgrade: --rollback-on-failure puts back what was", func(ctx context.Context) error {
			_, err := h.release(ctx, "upgrade", "three", "--rollback-on-failure", "--timeout=1m", "--set", "deployment=false,color=green,badHook=true")
			if err := fails(err, "three-NOT_A_NAME", "rolled back"); err != nil {
				return err
			}
			return h.data(ctx, "three-config", "color", "red")
		}},
	}
}

func (h *helm) rollbacks() []helmCheck {
	return []helmCheck{
		{"rollback: to the first revision", func(ctx context.Context) error {
			if _, err := h.run(ctx, "rollback", "one", "1", "--force-conflicts"); err != nil {
				return err
			}
			return h.data(ctx, "one-config", "color", "red")
		}},
		{"rollback: --server-side=false", func(ctx context.Context) error {
			if _, err := h.run(ctx, "rollback", "old", "2", "--server-side=false"); err != nil {
				return err
			}
			o, err := h.object(ctx, deploymentPath("old-web"))
			if err != nil {
				return err
			}
			return equal("replicas", o.at("spec", "replicas"), 5)
		}},
		{"rollback: history tells what happened", func(ctx context.Context) error {
			out, err := h.run(ctx, "history", "one", "--output", "json")
			if err != nil {
				return err
			}
			for _, words := range []string{`"revision":1`, "Rollback to 1", "superseded", "deployed", "failed"} {
				if !strings.Contains(out, words) {
					return equal("history", out, "something with "+words)
				}
			}
			return nil
		}},
	}
}

func (h *helm) waits() []helmCheck {
	return []helmCheck{
		{"wait: returns when objects are ready", func(ctx context.Context) error {
			_, err := h.release(ctx, "install", "quick", "--wait", "--timeout=1m", "--set", "deployment=false")
			return err
		}},
		{"wait: follows a claim until it is bound", func(ctx context.Context) error {
			return h.waited(ctx, "bound", claimPath("bound-data"), `{"status":{"phase":"Bound"}}`, "--timeout=1m", "--set", "deployment=false,claim=true")
		}},
		{"wait: follows a deployment until its pods are ready", func(ctx context.Context) error {
			return h.waited(ctx, "slow", deploymentPath("slow-web"), readyDeployment, "--timeout=10s")
		}},
		{"wait: that takes too long says for what, and the release has failed", func(ctx context.Context) error {
			_, err := h.release(ctx, "install", "never", "--wait", "--timeout=3s")
			if err := fails(err, "never-web"); err != nil {
				return err
			}
			return h.inState(ctx, "never", "1 failed")
		}},
	}
}

// readyDeployment is what the deployment controller would say at last.
const readyDeployment = `{"status":{"observedGeneration":1,"replicas":2,"updatedReplicas":2,"readyReplicas":2,"availableReplicas":2,"conditions":[` +
	`{"type":"Available","status":"True","reason":"MinimumReplicasAvailable"},{"type":"Progressing","status":"True","reason":"NewReplicaSetAvailable"}]}}`

// waited installs a release, and says of an object what helm waits for.
func (h *helm) waited(ctx context.Context, name, path, status string, args ...string) error {
	done := make(chan error, 1)
	go func() {
		_, err := h.release(ctx, "install", name, append(args, "--wait")...)
		done <- err
	}()
	return h.whenThere(ctx, path, status, done)
}

func (h *helm) uninstalls() []helmCheck {
	return []helmCheck{
		{"uninstall: --wait returns when all is gone", func(ctx context.Context) error {
			if _, err := h.run(ctx, "uninstall", "one", "--wait", "--timeout=1m"); err != nil {
				return err
			}
			return all(
				func() error { return h.gone(ctx, deploymentPath("one-web")) },
				func() error { return h.gone(ctx, configPath("one-config")) },
			)
		}},
		{"uninstall: --wait for what a finalizer holds takes too long", func(ctx context.Context) error {
			if _, err := h.release(ctx, "upgrade", "two", "--set", "finalizers={example.com/keep}"); err != nil {
				return err
			}
			_, err := h.run(ctx, "uninstall", "two", "--wait", "--timeout=3s")
			if err := fails(err, "two-config"); err != nil {
				return err
			}
			return h.merge(ctx, configPath("two-config"), `{"metadata":{"finalizers":null}}`)
		}},
		{"uninstall: --cascade=foreground", func(ctx context.Context) error {
			if _, err := h.run(ctx, "uninstall", "quick", "--cascade=foreground", "--wait", "--timeout=1m"); err != nil {
				return err
			}
			return h.gone(ctx, configPath("quick-config"))
		}},
		{"uninstall: --keep-history, and back again", func(ctx context.Context) error {
			if _, err := h.run(ctx, "uninstall", "three", "--keep-history"); err != nil {
				return err
			}
			if err := h.gone(ctx, configPath("three-config")); err != nil {
				return err
			}
			if _, err := h.run(ctx, "rollback", "three", "1"); err != nil {
				return err
			}
			return h.data(ctx, "three-config", "color", "red")
		}},
		{"uninstall: nothing of a release is left but what its hooks made", func(ctx context.Context) error {
			for _, name := range []string{"three", "old", "bound", "slow", "never", "bad", "odd"} {
				if _, err := h.run(ctx, "uninstall", name, "--ignore-not-found", "--wait", "--timeout=1m"); err != nil {
					return err
				}
			}
			list, err := h.object(ctx, "/api/v1/namespaces/"+shopNamespace+"/configmaps?labelSelector=app.kubernetes.io/managed-by%3DHelm")
			if err != nil {
				return err
			}
			items, _ := list.at("items").([]any)
			return equal("what is left", items, []any{})
		}},
	}
}
