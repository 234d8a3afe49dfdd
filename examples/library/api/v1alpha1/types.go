package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Book is a title that the library owns, in one or more copies.
type Book struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what the librarian says about the book.
	Spec BookSpec `json:"spec"`
	// status is what the server found out about the book.
	Status BookStatus `json:"status,omitempty"`
}

// BookList is a list of books.
type BookList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	// items are the books.
	Items []Book `json:"items"`
}

// BookSpec is what the librarian says about a book.
type BookSpec struct {
	// title is what the cover says.
	// +k8s:required
	// +k8s:maxLength=300
	Title string `json:"title"`
	// sortTitle is where the book stands in the catalogue; by default the title without its leading
	// article.
	SortTitle string `json:"sortTitle,omitempty"`
	// author holds the names on the cover, with "; " between two. In v1 this is the list authors.
	Author string `json:"author,omitempty"`
	// isbn is the International Standard Book Number, 10 or 13 digits with or without hyphens. It
	// never changes: another number is another book.
	// +k8s:optional
	// +k8s:immutable
	// +kubebuilder:validation:Pattern=`^(97[89]-?)?([0-9]-?){9}[0-9Xx]$`
	ISBN string `json:"isbn,omitempty"`
	// genre is the part of the house where readers look for the book.
	// +kubebuilder:validation:Enum=Fiction;Science;Reference
	// +default="Fiction"
	Genre string `json:"genre,omitempty"`
	// copies is how many of the book the library owns.
	// +k8s:minimum=0
	// +default=1
	Copies *int32 `json:"copies,omitempty"`
	// shelf names the Shelf on which the book stands.
	// +k8s:optional
	// +k8s:format=k8s-long-name
	Shelf string `json:"shelf,omitempty"`
}

// BookStatus is what the server found out about a book.
type BookStatus struct {
	// available is how many copies may be lent at this moment.
	Available int32 `json:"available,omitempty"`
	// conditions say what is going on with the book, one entry for each type of thing.
	// +listType=map
	// +listMapKey=type
	// +patchStrategy=merge
	// +patchMergeKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type"`
}
