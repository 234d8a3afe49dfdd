package main

import (
	"context"
	"fmt"
	"maps"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/registry/generic"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/names"
)

// kind says how objects of one kind are served. The functions may be nil.
type kind struct {
	group, resource, singular string
	versions                  []string
	shortNames, categories    []string
	clusterWide               bool
	newObject, newList        func() runtime.Object

	create   func(obj runtime.Object)
	update   func(obj, old runtime.Object)
	validate func(ctx context.Context, obj, old runtime.Object) field.ErrorList // old is nil in a create

	selectable func(obj runtime.Object) map[string]string
	columns    []apiextensionsv1.CustomResourceColumnDefinition

	// updateStatus prepares a write to the status subresource, as update one to the object; without
	// it there is none.
	updateStatus func(obj, old runtime.Object)
	scale        *scaling
}

// storage returns what serves the kind, by the name of the resource or subresource.
func (k kind) storage(scheme *runtime.Scheme, getter generic.RESTOptionsGetter) (map[string]rest.Storage, error) {
	resource := schema.GroupResource{Group: k.group, Resource: k.resource}
	table := rest.NewDefaultTableConvertor(resource)
	if len(k.columns) > 0 {
		var err error
		if table, err = tableconvertor.New(k.columns); err != nil {
			return nil, err
		}
	}
	s := strategy{ObjectTyper: scheme, NameGenerator: names.SimpleNameGenerator, kind: k}
	store := &genericregistry.Store{
		NewFunc:                   k.newObject,
		NewListFunc:               k.newList,
		PredicateFunc:             k.predicate,
		DefaultQualifiedResource:  resource,
		SingularQualifiedResource: schema.GroupResource{Group: k.group, Resource: k.singular},
		CreateStrategy:            s,
		UpdateStrategy:            s,
		DeleteStrategy:            s,
		TableConvertor:            table,
	}
	if err := store.CompleteWithOptions(&generic.StoreOptions{RESTOptions: getter, AttrFunc: k.attributes}); err != nil {
		return nil, err
	}
	all := map[string]rest.Storage{k.resource: &named{store, k}}
	if k.updateStatus != nil {
		status := *store
		status.UpdateStrategy = statusStrategy{s}
		all[k.resource+"/status"] = &statusStorage{&status}
	}
	if k.scale != nil {
		all[k.resource+"/scale"] = &scaleStorage{store, k.scale}
	}
	return all, nil
}

func (k kind) attributes(obj runtime.Object) (labels.Set, fields.Set, error) {
	m, err := meta.Accessor(obj)
	if err != nil {
		return nil, nil, err
	}
	set := fields.Set{"metadata.name": m.GetName()}
	if !k.clusterWide {
		set["metadata.namespace"] = m.GetNamespace()
	}
	if k.selectable != nil {
		maps.Copy(set, k.selectable(obj))
	}
	return m.GetLabels(), set, nil
}

func (k kind) predicate(label labels.Selector, field fields.Selector) storage.SelectionPredicate {
	return storage.SelectionPredicate{Label: label, Field: field, GetAttrs: k.attributes}
}

// selects allows the fields of k's attributes in selectors of a version.
func (k kind) selects(scheme *runtime.Scheme, gvk schema.GroupVersionKind) error {
	return scheme.AddFieldLabelConversionFunc(gvk, func(label, value string) (string, string, error) {
		_, set, err := k.attributes(k.newObject())
		if _, ok := set[label]; err == nil && !ok {
			return "", "", fmt.Errorf("field label not supported: %s", label)
		}
		return label, value, err
	})
}

// named is a store whose resource has short names and categories.
type named struct {
	*genericregistry.Store
	kind kind
}

func (n *named) ShortNames() []string { return n.kind.shortNames }
func (n *named) Categories() []string { return n.kind.categories }

// strategy holds the rules of a kind.
type strategy struct {
	runtime.ObjectTyper
	names.NameGenerator
	kind kind
}

func (s strategy) NamespaceScoped() bool { return !s.kind.clusterWide }

func (s strategy) PrepareForCreate(_ context.Context, obj runtime.Object) {
	if s.kind.create != nil {
		s.kind.create(obj)
	}
}

func (s strategy) PrepareForUpdate(_ context.Context, obj, old runtime.Object) {
	if s.kind.update != nil {
		s.kind.update(obj, old)
	}
}

func (s strategy) Validate(ctx context.Context, obj runtime.Object) field.ErrorList {
	return s.judge(ctx, obj, nil)
}

func (s strategy) ValidateUpdate(ctx context.Context, obj, old runtime.Object) field.ErrorList {
	return s.judge(ctx, obj, old)
}

// judge begins with the metadata, as the strategies of Kubernetes' kinds do.
func (s strategy) judge(ctx context.Context, obj, old runtime.Object) field.ErrorList {
	m, err := meta.Accessor(obj)
	if err != nil {
		return field.ErrorList{field.InternalError(nil, err)}
	}
	errs := validation.ValidateObjectMetaAccessor(m, s.NamespaceScoped(), validation.NameIsDNSSubdomain, field.NewPath("metadata"))
	if s.kind.validate != nil {
		errs = append(errs, s.kind.validate(ctx, obj, old)...)
	}
	return errs
}

func (strategy) AllowCreateOnUpdate(context.Context) bool                         { return false }
func (strategy) AllowUnconditionalUpdate(context.Context) bool                    { return true }
func (strategy) Canonicalize(runtime.Object)                                      {}
func (strategy) WarningsOnCreate(context.Context, runtime.Object) []string        { return nil }
func (strategy) WarningsOnUpdate(_ context.Context, _, _ runtime.Object) []string { return nil }
