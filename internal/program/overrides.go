package program

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// EtcdOverride says that the objects of some resources are in an etcd of their own.
type EtcdOverride struct {
	Servers   []string
	Resources []schema.GroupResource
}

const overrideForm = "want group/resource#servers, like apps/deployments#https://10.0.0.1:2379;https://10.0.0.2:2379, or /pods#http://127.0.0.1:2379 for a resource of the core group"

// ParseEtcdOverrides reads the items of --etcd-servers-overrides. Resources with the same servers,
// in whatever order, come to one EtcdOverride, which stands where the first of them does.
func ParseEtcdOverrides(items []string) ([]EtcdOverride, error) {
	var all []EtcdOverride
	var errs []error
	first := map[schema.GroupResource]int{}
	for n, item := range items {
		wrong := func(why string) {
			errs = append(errs, fmt.Errorf("--etcd-servers-overrides: item %d, %q: %s", n+1, item, why))
		}
		resource, servers, err := parseEtcdOverride(item)
		if err != nil {
			wrong(err.Error())
			continue
		}
		if before, twice := first[resource]; twice {
			wrong(fmt.Sprintf("%s has an etcd already, by item %d: leave one of them out", resource, before+1))
			continue
		}
		first[resource] = n
		i := slices.IndexFunc(all, func(o EtcdOverride) bool { return sameServers(o.Servers, servers) })
		if i < 0 {
			i, all = len(all), append(all, EtcdOverride{Servers: servers})
		}
		all[i].Resources = append(all[i].Resources, resource)
	}
	return all, errors.Join(errs...)
}

func parseEtcdOverride(item string) (resource schema.GroupResource, servers []string, err error) {
	name, list, ok := strings.Cut(item, "#")
	group, plural, slash := strings.Cut(name, "/")
	if !ok || !slash || plural == "" || strings.Contains(plural, "/") || strings.Contains(list, "#") {
		return resource, nil, errors.New(overrideForm)
	}
	servers = strings.Split(list, ";")
	for _, server := range servers {
		if scheme, rest, ok := strings.Cut(server, "://"); !ok || scheme == "" || rest == "" {
			return resource, nil, fmt.Errorf("the server %q is no URL: %s", server, overrideForm)
		}
	}
	return schema.GroupResource{Group: group, Resource: plural}, servers, nil
}

// sameServers says that two lists name the same servers, in whatever order.
func sameServers(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
