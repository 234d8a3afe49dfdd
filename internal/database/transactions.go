package database

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/registry"
)

// CheckTransactions refuses a plug-in that writes something beside an object of another etcd: no
// transaction is of two.
func (d *Databases) CheckTransactions(k *Kinds, plugin admission.Plugin) error {
	if plugin.Transact == nil || plugin.OnlyExpects {
		return nil
	}
	var apart []string
	for _, r := range k.Resources {
		if !concerns(plugin, r) {
			continue
		}
		if d.Of(r.GroupResource()) != d.Main {
			apart = append(apart, r.GroupResource().String())
		}
		d.mu.Lock()
		if d.bound == nil {
			d.bound = map[schema.GroupResource]string{}
		}
		d.bound[r.GroupResource()] = plugin.Name
		d.mu.Unlock()
	}
	if len(apart) == 0 {
		return nil
	}
	return fmt.Errorf("--etcd-servers-overrides: the admission plug-in %s writes with %s, in the same transaction, what is in the etcd of all other resources, and no transaction is of two: "+
		"leave these overrides out, or do without the plug-in (--disable-admission-plugins=%s)", plugin.Name, strings.Join(apart, ", "), plugin.Name)
}

// boundBy is the plug-in that writes to the main database with objects of a resource, "" for none.
func (d *Databases) boundBy(resource schema.GroupResource) string {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.bound[resource]
}

// concerns says whether a plug-in has to do with objects of a resource.
func concerns(plugin admission.Plugin, r registry.Resource) bool {
	namespace := ""
	if r.Namespaced() {
		namespace = "default"
	}
	return slices.ContainsFunc([]admission.Operation{admission.Create, admission.Update, admission.Delete}, func(op admission.Operation) bool {
		resource := r.GroupResource().WithVersion(r.Versions()[0].Version)
		return plugin.Wants == nil || plugin.Wants(&admission.Request{Operation: op, Resource: resource, Namespace: namespace, Name: "some"})
	})
}
