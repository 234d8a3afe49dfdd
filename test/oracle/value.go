package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	libraryv1 "github.com/typeplane/typeplane/examples/library/api/v1"
)

// The objects are books, and Content is spread over them.
const (
	tokenAnnotation = "token"
	appliedToken    = "token-of-applier-"
	finalizerDomain = "oracle.example.com/"
	groupLabel      = "group"
	bookKind        = "Book"
	bookGroup       = "library.example.com/"
	storedVersion   = "v1"
	otherVersion    = "v1alpha1" // of what we write, its fields are the same
)

var envelope = []byte("k8s\x00")

// unwrap returns the message in the envelope that Kubernetes puts around protobuf.
func unwrap(data []byte) (*runtime.Unknown, error) {
	raw, ok := bytes.CutPrefix(data, envelope)
	if !ok {
		return nil, fmt.Errorf("no protobuf envelope around %.40q", data)
	}
	u := new(runtime.Unknown)
	return u, u.Unmarshal(raw)
}

// decodeBook reads a book in either media type.
func decodeBook(data []byte) (*libraryv1.Book, error) {
	book := new(libraryv1.Book)
	if !bytes.HasPrefix(data, envelope) {
		return book, json.Unmarshal(data, book)
	}
	u, err := unwrap(data)
	if err != nil {
		return nil, err
	}
	err = book.Unmarshal(u.Raw)
	withoutAuthors(book)
	return book, err
}

// decodeList reads a list of books in either media type.
func decodeList(data []byte) (*libraryv1.BookList, error) {
	list := new(libraryv1.BookList)
	if !bytes.HasPrefix(data, envelope) {
		return list, json.Unmarshal(data, list)
	}
	u, err := unwrap(data)
	if err != nil {
		return nil, err
	}
	err = list.Unmarshal(u.Raw)
	for i := range list.Items {
		withoutAuthors(&list.Items[i])
	}
	return list, err
}

// withoutAuthors takes out the one author "": nobody writes authors, but in the protobuf of the
// other version they are one line, which is there when it is empty.
func withoutAuthors(book *libraryv1.Book) {
	if authors := book.Spec.Authors; len(authors) == 1 && authors[0] == "" {
		book.Spec.Authors = nil
	}
}

// objectOf is what is compared of a book.
func objectOf(book *libraryv1.Book) (Object, error) {
	plain := *book
	plain.APIVersion, plain.Kind, plain.ResourceVersion = "", "", ""
	data, err := json.Marshal(&plain)
	if err != nil {
		return Object{}, err
	}
	sum := sha256.Sum256(data)
	// A copy of each string: the book need not stay in memory for them.
	o := Object{UID: strings.Clone(string(book.UID)), Digest: hex.EncodeToString(sum[:8]), Deleting: book.DeletionTimestamp != nil, Content: Content{
		Token: strings.Clone(book.Annotations[tokenAnnotation]), Title: strings.Clone(book.Spec.Title),
		Group: strings.Clone(book.Labels[groupLabel]), Shelf: strings.Clone(book.Spec.Shelf), Finalizers: finalizersOf(book),
	}}
	for i := range o.Applied {
		o.Applied[i] = strings.Clone(book.Annotations[appliedToken+strconv.Itoa(i)])
	}
	o.Stamp = strings.Clone(book.Annotations[stampAnnotation])
	owners, around, err := ownersOf(book.ManagedFields)
	o.Owners, o.Around = owners.String(), around.String()
	return o, err
}

func finalizersOf(book *libraryv1.Book) string {
	names := slices.Clone(book.Finalizers)
	for i := range names {
		names[i] = strings.TrimPrefix(names[i], finalizerDomain)
	}
	slices.Sort(names)
	return strings.Join(names, ",")
}

// finalizerNames are the finalizers as an object has them.
func finalizerNames(joined string) []string {
	names := []string{}
	for name := range strings.SplitSeq(joined, ",") {
		if name != "" {
			names = append(names, finalizerDomain+name)
		}
	}
	return names
}

// itemOf is a book as a client got it.
func itemOf(book *libraryv1.Book) (Item, error) {
	revision, err := strconv.ParseInt(book.ResourceVersion, 10, 64)
	if err != nil || revision <= 0 {
		return Item{}, errors.Join(fmt.Errorf("book %s/%s has resourceVersion %q", book.Namespace, book.Name, book.ResourceVersion), err)
	}
	object, err := objectOf(book)
	return Item{Key: book.Namespace + "/" + book.Name, Revision: revision, Object: object}, err
}

func itemsOf(books []libraryv1.Book) ([]Item, error) {
	items := make([]Item, len(books))
	var err error
	for i := range books {
		if items[i], err = itemOf(&books[i]); err != nil {
			return nil, err
		}
	}
	return items, nil
}

// newBook is a book with a content.
func newBook(version, key string, c Content) *libraryv1.Book {
	book := new(libraryv1.Book)
	book.APIVersion, book.Kind = bookGroup+version, bookKind
	book.Namespace, book.Name, _ = strings.Cut(key, "/")
	setContent(book, c)
	return book
}

func setContent(book *libraryv1.Book, c Content) {
	book.Annotations = map[string]string{tokenAnnotation: c.Token}
	for i, token := range c.Applied {
		if token != "" {
			book.Annotations[appliedToken+strconv.Itoa(i)] = token
		}
	}
	book.Labels = map[string]string{groupLabel: c.Group}
	book.Spec.Title, book.Spec.Shelf, book.Finalizers = c.Title, c.Shelf, finalizerNames(c.Finalizers)
}
