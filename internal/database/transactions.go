package database

import (
	"fmt"
	"slices"
	"strings"

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
		if d.Of(r.GroupResource()) != d.Main && concerns(plugin, r) {
			apart = append(apart, r.GroupResource().String())
		}
	}
	if len(apart) == 0 {
		return nil
	}
	return fmt.Errorf("--etcd-servers-overrides: the admission plug-in %s writes with %s, in the same transaction, what is in the etcd of all other resources, and no transaction is of two: "+
		"leave these overrides out, or do without the plug-in (--disable-admission-plugins=%s)", plugin.Name, strings.Join(apart, ", "), plugin.Name)
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
