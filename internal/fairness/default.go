package fairness

import "github.com/typeplane/typeplane/auth"

// Mandatory is what every server has: administrators never wait, and no request is without a
// level.
func Mandatory() Config {
	return Config{
		Levels: []Level{
			{Name: Exempt, Exempt: true},
			{Name: CatchAll, Shares: 5},
		},
		Schemas: []Schema{
			{Name: Exempt, Level: Exempt, Precedence: 1, Rules: everything(Subject{Kind: Group, Name: auth.GroupMasters})},
			{Name: CatchAll, Level: CatchAll, Precedence: 10000, By: ByUser, Rules: everything(everybody...)},
		},
	}
}

// Suggested is what Kubernetes suggests beside that.
func Suggested() Config {
	queued := func(name string, shares, lendable, queues, hand int32) Level {
		return Level{Name: name, Shares: shares, LendablePercent: lendable, Queuing: &Queuing{Queues: queues, HandSize: hand, Length: 50}}
	}
	system := Subject{Kind: ServiceAccount, Namespace: "kube-system", Name: All}
	manager, scheduler := Subject{Kind: User, Name: "system:kube-controller-manager"}, Subject{Kind: User, Name: "system:kube-scheduler"}
	nodes := Subject{Kind: Group, Name: "system:nodes"}
	leases := func(verbs ...string) ResourceRule {
		return ResourceRule{Verbs: verbs, Groups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Namespaces: []string{All}}
	}
	return Config{
		Levels: []Level{
			queued("system", 30, 33, 64, 6),
			queued("node-high", 40, 25, 64, 6),
			queued("leader-election", 10, 0, 16, 4),
			queued("workload-high", 40, 50, 128, 6),
			queued("workload-low", 100, 90, 128, 6),
			queued("global-default", 20, 50, 128, 6),
		},
		Schemas: []Schema{
			{Name: "system-nodes", Level: "system", Precedence: 500, By: ByUser, Rules: everything(nodes)},
			{Name: "system-node-high", Level: "node-high", Precedence: 400, By: ByUser, Rules: []Rule{{
				Subjects: []Subject{nodes},
				Resources: []ResourceRule{
					{Verbs: []string{All}, Groups: []string{""}, Resources: []string{"nodes", "nodes/status"}, Namespaces: []string{All}, ClusterScope: true},
					leases(All),
				},
			}}},
			{Name: "probes", Level: Exempt, Precedence: 2, Rules: []Rule{{
				Subjects: everybody,
				Paths:    []PathRule{{Verbs: []string{"get"}, Paths: []string{"/healthz", "/readyz", "/livez"}}},
			}}},
			{Name: "system-leader-election", Level: "leader-election", Precedence: 100, By: ByUser, Rules: []Rule{{
				Subjects: []Subject{manager, scheduler, system}, Resources: []ResourceRule{leases("get", "create", "update")},
			}}},
			{Name: "kube-controller-manager", Level: "workload-high", Precedence: 800, By: ByNamespace, Rules: everything(manager)},
			{Name: "kube-scheduler", Level: "workload-high", Precedence: 800, By: ByNamespace, Rules: everything(scheduler)},
			{Name: "kube-system-service-accounts", Level: "workload-high", Precedence: 900, By: ByNamespace, Rules: everything(system)},
			{Name: "service-accounts", Level: "workload-low", Precedence: 9000, By: ByUser, Rules: everything(Subject{Kind: Group, Name: auth.GroupServiceAccounts})},
			{Name: "global-default", Level: "global-default", Precedence: 9900, By: ByUser, Rules: everything(everybody...)},
		},
	}
}

// Default is what holds where nobody says otherwise.
func Default() Config {
	c, more := Mandatory(), Suggested()
	return Config{Levels: append(c.Levels, more.Levels...), Schemas: append(c.Schemas, more.Schemas...)}
}

var everybody = []Subject{{Kind: Group, Name: auth.GroupUnauthenticated}, {Kind: Group, Name: auth.GroupAuthenticated}}

// everything are rules about all requests of some subjects.
func everything(subjects ...Subject) []Rule {
	return []Rule{{
		Subjects:  subjects,
		Resources: []ResourceRule{{Verbs: []string{All}, Groups: []string{All}, Resources: []string{All}, Namespaces: []string{All}, ClusterScope: true}},
		Paths:     []PathRule{{Verbs: []string{All}, Paths: []string{All}}},
	}}
}
