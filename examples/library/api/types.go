package api

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Book is a title that the library owns, in one or more copies.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type Book struct {
	metav1.TypeMeta
	metav1.ObjectMeta

	Spec   BookSpec
	Status BookStatus
}

// BookSpec is what the librarian says about a book.
type BookSpec struct {
	Title, SortTitle   string
	Authors            []string
	ISBN, Genre, Shelf string
	Copies             *int32
}

// BookStatus is what the server found out about a book.
type BookStatus struct {
	Available  int32
	Conditions []metav1.Condition
}
