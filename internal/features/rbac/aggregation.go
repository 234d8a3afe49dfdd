package rbac

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/internal/follow"
	"github.com/typeplane/typeplane/internal/wait"
	"github.com/typeplane/typeplane/registry/rest"
)

// manager is who owns the rules that are written here, by the name that it has in Kubernetes.
const manager = "clusterrole-aggregation-controller"

// aggregator writes into cluster roles that are made of others (aggregationRule) the rules that
// they come to, so that clients can read what such a role allows. Nobody waits for it: the
// authorizer gathers the rules by itself, from the same function, and does not look at what is
// written there. Several servers may run one over the same roles: who comes second finds the rules
// written, or is told of a conflict and leaves it at that.
type aggregator struct {
	roles rest.Resource
	log   *slog.Logger
	known map[string]*rbacv1.ClusterRole
}

// newAggregator returns one of the resource clusterroles in rbac.authorization.k8s.io/v1.
func newAggregator(roles rest.Resource, log *slog.Logger) *aggregator {
	return &aggregator{roles: roles, log: log}
}

// run writes rules until ctx ends. It must run once.
func (c *aggregator) run(ctx context.Context) {
	follow.Run(ctx, &c.roles, "", c.log, follow.Handler[rbacv1.ClusterRole]{
		Replace: func(all []rbacv1.ClusterRole) {
			c.known = map[string]*rbacv1.ClusterRole{}
			for i := range all {
				c.known[all[i].Name] = &all[i]
			}
			c.writeAll(ctx)
		},
		Changed: func(role *rbacv1.ClusterRole) {
			c.known[role.Name] = role
			c.writeAll(ctx)
		},
		Gone: func(role *rbacv1.ClusterRole) {
			delete(c.known, role.Name)
			c.writeAll(ctx)
		},
	})
}

// writeAll writes each role whose rules are not what they should be.
func (c *aggregator) writeAll(ctx context.Context) {
	var roles []*rbacv1.ClusterRole
	for _, name := range slices.Sorted(maps.Keys(c.known)) {
		roles = append(roles, c.known[name])
	}
	gathered := Gather(roles, c.log)
	for _, role := range roles {
		if role.AggregationRule == nil {
			continue
		}
		if rules := distinct(gathered[role.Name]); !slices.EqualFunc(rules, role.Rules, same) {
			c.write(ctx, role, rules)
		}
	}
}

// The pauses after a write that has failed.
const (
	firstPause = 50 * time.Millisecond
	lastPause  = 5 * time.Second
)

// write is for the revision that the rules were found wrong in: of any other one there will be an
// event.
func (c *aggregator) write(ctx context.Context, role *rbacv1.ClusterRole, rules []rbacv1.PolicyRule) {
	for pause := firstPause; ctx.Err() == nil; pause *= 2 {
		next := role.DeepCopy()
		next.Rules = rules
		_, _, err := c.roles.Update.Update(ctx, new(rest.Request), rest.Name{Name: role.Name}, next, metav1.UpdateOptions{FieldManager: manager})
		if err == nil || apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
			return
		}
		c.log.Warn("write the rules of a cluster role that is made of others", "role", role.Name, "error", err)
		if pause > lastPause {
			return // the next change of a cluster role, or the next start, brings them
		}
		_ = wait.Sleep(ctx, pause)
	}
}

// distinct returns the rules, each once.
func distinct(rules []rbacv1.PolicyRule) (once []rbacv1.PolicyRule) {
	seen := map[string]bool{}
	for _, rule := range rules {
		text := fmt.Sprintf("%q", rule)
		if !seen[text] {
			once = append(once, rule)
		}
		seen[text] = true
	}
	return once
}

func same(a, b rbacv1.PolicyRule) bool { return reflect.DeepEqual(a, b) }
