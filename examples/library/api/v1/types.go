package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Book is a title that the library owns, in one or more copies.
//
// +kubebuilder:resource:shortName=bk,categories=library
// +kubebuilder:storageversion
// +typeplane:subresource:name=lend
// +kubebuilder:selectablefield:JSONPath=.spec.isbn
// +kubebuilder:selectablefield:JSONPath=.spec.shelf
// +kubebuilder:printcolumn:name=Title,type=string,JSONPath=.spec.title
// +kubebuilder:printcolumn:name=Copies,type=integer,JSONPath=.spec.copies
// +kubebuilder:printcolumn:name=Available,type=integer,JSONPath=.status.available
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
// +kubebuilder:printcolumn:name=Authors,type=string,JSONPath=.spec.authors[*],priority=1
// +kubebuilder:printcolumn:name=Shelf,type=string,JSONPath=.spec.shelf,priority=1
// +kubebuilder:printcolumn:name=Reason,type=string,JSONPath=.status.conditions[?(@.type=="Ready")].reason,priority=1
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
	// authors are the names on the cover, in their order. A name holds no semicolon.
	// +listType=atomic
	// +k8s:maxItems=100
	// +k8s:eachVal=+k8s:maxLength=200
	Authors []string `json:"authors,omitempty"`
	// isbn is the International Standard Book Number, 10 or 13 digits with or without hyphens. It
	// never changes: another number is another book.
	// +k8s:optional
	// +k8s:immutable
	// +kubebuilder:validation:Pattern=`^(97[89]-?)?([0-9]-?){9}[0-9Xx]$`
	ISBN string `json:"isbn,omitempty"`
	// genre is the part of the house where readers look for the book.
	// +default="Fiction"
	Genre Genre `json:"genre,omitempty"`
	// copies is how many of the book the library owns.
	// +k8s:minimum=0
	// +default=1
	Copies *int32 `json:"copies,omitempty"`
	// shelf names the Shelf on which the book stands.
	// +k8s:optional
	// +k8s:format=k8s-long-name
	Shelf string `json:"shelf,omitempty"`
}

// Genre is a part of the house.
//
// +enum
type Genre string

const (
	// Fiction is made up.
	Fiction Genre = "Fiction"
	// Science explains how things are.
	Science Genre = "Science"
	// Reference is never lent out.
	Reference Genre = "Reference"
)

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

// Loan lends a copy of a book to a reader: it is sent to …/books/{name}/lend, and comes back with
// how many copies are left. It is not kept.
type Loan struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// reader is who takes the copy home.
	// +k8s:required
	// +k8s:maxLength=200
	Reader string `json:"reader"`
	// left is how many copies are still in the house. The server fills it in.
	// +optional
	Left int32 `json:"left,omitempty"`
}

// Shelf is a place for books. It is cluster-scoped, because the house has one set of shelves. It
// has one version, so there is no hub type.
//
// +kubebuilder:resource:path=shelves,scope=Cluster
// +kubebuilder:printcolumn:name=Room,type=string,JSONPath=.spec.room
// +kubebuilder:printcolumn:name=Capacity,type=integer,JSONPath=.spec.capacity
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
type Shelf struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec says where the shelf stands and what fits on it.
	Spec ShelfSpec `json:"spec,omitempty"`
}

// ShelfSpec says where a shelf stands and what fits on it.
type ShelfSpec struct {
	// room is where the shelf stands.
	// +k8s:maxLength=200
	Room string `json:"room,omitempty"`
	// capacity is how many books fit on the shelf.
	// +k8s:minimum=1
	// +default=40
	Capacity *int32 `json:"capacity,omitempty"`
}

// ShelfList is a list of shelves.
type ShelfList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	// items are the shelves.
	Items []Shelf `json:"items"`
}

// Room is a room of the library with the number of its shelves and books. The server computes it
// when a client reads it; it is not stored.
//
// +kubebuilder:skipversion
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type Room struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// shelves is the number of shelves in the room.
	Shelves int32 `json:"shelves"`
	// capacity is the number of books that fit on them.
	Capacity int32 `json:"capacity"`
	// books is the number of books on them.
	Books int32 `json:"books"`
}
