package main

import (
	"context"
	"reflect"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/examples/library/api"
	v1 "github.com/typeplane/typeplane/examples/library/api/v1"
	"github.com/typeplane/typeplane/examples/library/api/v1alpha1"
)

// library serves books and shelves. The server works with v1, so that no hub types need lists of
// their own.
func library() world {
	scheme := runtime.NewScheme()
	utilruntime.Must(v1.AddToScheme(scheme))
	utilruntime.Must(v1alpha1.AddToScheme(scheme))
	internal := schema.GroupVersion{Group: v1.GroupName, Version: runtime.APIVersionInternal}
	scheme.AddKnownTypes(internal, new(v1.Book), new(v1.BookList), new(v1.Shelf), new(v1.ShelfList))
	utilruntime.Must(addConversions(scheme))
	for _, gv := range []schema.GroupVersion{v1.SchemeGroupVersion, v1alpha1.SchemeGroupVersion} {
		utilruntime.Must(books.selects(scheme, gv.WithKind("Book")))
	}
	return world{
		scheme: scheme,
		stored: schema.GroupVersions{v1.SchemeGroupVersion},
		groups: []group{{v1.GroupName, []schema.GroupVersion{v1.SchemeGroupVersion, v1alpha1.SchemeGroupVersion}, []kind{books, shelves}}},
		models: models{
			schemas: []string{v1.OpenAPISchemas, v1alpha1.OpenAPISchemas},
			packages: map[string]string{
				reflect.TypeFor[v1.Book]().PkgPath() + ".":       "com.example.library.v1.",
				reflect.TypeFor[v1alpha1.Book]().PkgPath() + ".": "com.example.library.v1alpha1.",
			},
		},
	}
}

var books = kind{
	group: v1.GroupName, resource: "books", singular: "book", shortNames: []string{"bk"}, categories: []string{"library"},
	versions:  []string{"v1", "v1alpha1"},
	newObject: func() runtime.Object { return new(v1.Book) },
	newList:   func() runtime.Object { return new(v1.BookList) },
	create: func(obj runtime.Object) {
		book := obj.(*v1.Book)
		book.Generation = 1
		book.Status = v1.BookStatus{}
		if book.Spec.Copies != nil {
			book.Status.Available = *book.Spec.Copies
		}
	},
	update: func(obj, old runtime.Object) {
		if book, before := obj.(*v1.Book), old.(*v1.Book); !reflect.DeepEqual(book.Spec, before.Spec) {
			book.Generation = before.Generation + 1
		}
	},
	validate: func(ctx context.Context, obj, old runtime.Object) field.ErrorList {
		book := obj.(*v1.Book)
		var errs field.ErrorList
		if old == nil {
			errs = v1.Validate_Book(ctx, operation.Operation{Type: operation.Create}, nil, book, nil)
		} else {
			errs = v1.Validate_Book(ctx, operation.Operation{Type: operation.Update}, nil, book, old.(*v1.Book))
		}
		for i, name := range book.Spec.Authors {
			if name == "" || strings.Contains(name, ";") {
				errs = append(errs, field.Invalid(field.NewPath("spec", "authors").Index(i), name, "want a name without a semicolon"))
			}
		}
		return errs
	},
	selectable: func(obj runtime.Object) map[string]string {
		book := obj.(*v1.Book)
		return map[string]string{"spec.isbn": book.Spec.ISBN, "spec.shelf": book.Spec.Shelf}
	},
	columns: []apiextensionsv1.CustomResourceColumnDefinition{
		{Name: "Title", Type: "string", JSONPath: ".spec.title"},
		{Name: "Copies", Type: "integer", JSONPath: ".spec.copies"},
		{Name: "Available", Type: "integer", JSONPath: ".status.available"},
		{Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp"},
		{Name: "Authors", Type: "string", JSONPath: ".spec.authors[*]", Priority: 1},
		{Name: "Shelf", Type: "string", JSONPath: ".spec.shelf", Priority: 1},
		{Name: "Reason", Type: "string", JSONPath: `.status.conditions[?(@.type=="Ready")].reason`, Priority: 1},
	},
}

var shelves = kind{
	group: v1.GroupName, resource: "shelves", singular: "shelf", versions: []string{"v1"}, clusterWide: true,
	newObject: func() runtime.Object { return new(v1.Shelf) },
	newList:   func() runtime.Object { return new(v1.ShelfList) },
	create:    func(obj runtime.Object) { obj.(*v1.Shelf).Generation = 1 },
	update: func(obj, old runtime.Object) {
		if shelf, before := obj.(*v1.Shelf), old.(*v1.Shelf); !reflect.DeepEqual(shelf.Spec, before.Spec) {
			shelf.Generation = before.Generation + 1
		}
	},
	validate: func(ctx context.Context, obj, old runtime.Object) field.ErrorList {
		if old == nil {
			return v1.Validate_Shelf(ctx, operation.Operation{Type: operation.Create}, nil, obj.(*v1.Shelf), nil)
		}
		return v1.Validate_Shelf(ctx, operation.Operation{Type: operation.Update}, nil, obj.(*v1.Shelf), old.(*v1.Shelf))
	},
	columns: []apiextensionsv1.CustomResourceColumnDefinition{
		{Name: "Room", Type: "string", JSONPath: ".spec.room"},
		{Name: "Capacity", Type: "integer", JSONPath: ".spec.capacity"},
		{Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp"},
	},
}

// addConversions joins v1alpha1 and v1 by way of the hub type, whose functions are the example's.
func addConversions(scheme *runtime.Scheme) error {
	up := func(in *v1alpha1.Book, out *v1.Book, s conversion.Scope) error {
		hub := new(api.Book)
		if err := v1alpha1.LosslessConvert_v1alpha1_Book_To_api_Book(in, hub, s); err != nil {
			return err
		}
		return v1.Convert_api_Book_To_v1_Book(hub, out, s)
	}
	down := func(in *v1.Book, out *v1alpha1.Book, s conversion.Scope) error {
		hub := new(api.Book)
		if err := v1.Convert_v1_Book_To_api_Book(in, hub, s); err != nil {
			return err
		}
		return v1alpha1.LosslessConvert_api_Book_To_v1alpha1_Book(hub, out, s)
	}
	if err := scheme.AddConversionFunc((*v1alpha1.Book)(nil), (*v1.Book)(nil), func(a, b any, s conversion.Scope) error {
		return up(a.(*v1alpha1.Book), b.(*v1.Book), s)
	}); err != nil {
		return err
	}
	if err := scheme.AddConversionFunc((*v1.Book)(nil), (*v1alpha1.Book)(nil), func(a, b any, s conversion.Scope) error {
		return down(a.(*v1.Book), b.(*v1alpha1.Book), s)
	}); err != nil {
		return err
	}
	return scheme.AddConversionFunc((*v1.BookList)(nil), (*v1alpha1.BookList)(nil), func(a, b any, s conversion.Scope) error {
		in, out := a.(*v1.BookList), b.(*v1alpha1.BookList)
		out.ListMeta = in.ListMeta
		out.Items = make([]v1alpha1.Book, len(in.Items))
		for i := range in.Items {
			if err := down(&in.Items[i], &out.Items[i], s); err != nil {
				return err
			}
		}
		return nil
	})
}
