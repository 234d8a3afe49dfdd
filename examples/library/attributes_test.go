package main

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/typeplane/typeplane/examples/library/api/v1"
	"github.com/typeplane/typeplane/runtime/runtimetest"
)

// BenchmarkAttributes is what a selector pays for one stored book: by decoding it, and by reading
// what it asks for.
func BenchmarkAttributes(b *testing.B) {
	runtimetest.BenchAttributes(b, scheme(b), storedBook())
}

// storedBook is a book as servers have it: labelled, applied by one client and updated by another.
func storedBook() *v1.Book {
	copies := int32(3)
	at := metav1.NewTime(time.Unix(1_790_000_000, 0))
	fields := &metav1.FieldsV1{}
	fields.SetRawString(`{"f:metadata":{"f:labels":{"f:app":{},"f:house":{}}},"f:spec":{"f:authors":{},"f:copies":{},"f:genre":{},"f:isbn":{},"f:shelf":{},"f:title":{}}}`)
	return &v1.Book{
		TypeMeta: metav1.TypeMeta{APIVersion: "library.example.com/v1", Kind: "Book"},
		ObjectMeta: metav1.ObjectMeta{
			Name: "the-go-programming-language", Namespace: "default", UID: "7b3f6f2e-5a53-4c1c-9f0e-7b6a3f1c2d4e",
			Generation: 2, CreationTimestamp: at,
			Labels: map[string]string{"app": "catalogue", "house": "main"},
			ManagedFields: []metav1.ManagedFieldsEntry{
				{Manager: "kubectl", Operation: metav1.ManagedFieldsOperationApply, APIVersion: "library.example.com/v1", Time: &at, FieldsType: "FieldsV1", FieldsV1: fields},
				{Manager: "librarian", Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "library.example.com/v1", Time: &at, FieldsType: "FieldsV1", FieldsV1: fields},
			},
		},
		Spec: v1.BookSpec{
			Title: "The Go Programming Language", SortTitle: "Go Programming Language", Authors: []string{"Alan A. A. Donovan", "Brian W. Kernighan"},
			ISBN: "978-0134190440", Genre: v1.Science, Copies: &copies, Shelf: "computers",
		},
		Status: v1.BookStatus{
			Available:  2,
			Conditions: []metav1.Condition{{Type: "Ready", Status: metav1.ConditionTrue, Reason: "Catalogued", LastTransitionTime: at}},
		},
	}
}
