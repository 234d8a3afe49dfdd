package main

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/typeplane/typeplane/examples/library/api/v1"
	"github.com/typeplane/typeplane/registry"
)

// rooms is a resource without a store: its objects are computed from shelves and books when a
// client reads them.
var rooms = registry.Virtual[*v1.Room]{
	Kind: v1.SchemeGroupVersion.WithKind("Room"), New: func() *v1.Room { return new(v1.Room) },
	Plural: "rooms", Singular: "room",
	List: listRooms,
	Columns: []metav1.TableColumnDefinition{
		{Name: "Shelves", Type: "integer", Description: "The number of shelves in the room."},
		{Name: "Capacity", Type: "integer", Description: "The number of books that fit on them."},
		{Name: "Books", Type: "integer", Description: "The number of books on them."},
	},
	Cells: func(r *v1.Room) []any { return []any{r.Shelves, r.Capacity, r.Books} },
}

// listRooms returns one Room for each value of spec.room. Both lists come from memory, because a
// summary that is some milliseconds old is good enough.
func listRooms(ctx context.Context, _ string) ([]*v1.Room, error) {
	inMemory := metav1.ListOptions{ResourceVersion: "0"}
	shelves, err := registry.List[*v1.Shelf](ctx, "", inMemory)
	if err != nil {
		return nil, err
	}
	books, err := registry.List[*v1.Book](ctx, "", inMemory)
	if err != nil {
		return nil, err
	}
	onShelf := map[string]int32{}
	for _, book := range books {
		onShelf[book.Spec.Shelf]++
	}
	byName := map[string]*v1.Room{}
	for _, shelf := range shelves {
		name := roomName(shelf.Spec.Room)
		room := byName[name]
		if room == nil {
			room = &v1.Room{ObjectMeta: metav1.ObjectMeta{Name: name}}
			byName[name] = room
		}
		room.Shelves++
		room.Capacity += *shelf.Spec.Capacity
		room.Books += onShelf[shelf.Name]
	}
	return slices.SortedFunc(maps.Values(byName), func(a, b *v1.Room) int { return cmp.Compare(a.Name, b.Name) }), nil
}

// roomName returns the name of the Room object for a value of spec.room, which may be any text.
func roomName(room string) string {
	words := strings.FieldsFunc(strings.ToLower(room), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return cmp.Or(strings.Join(words, "-"), "unassigned")
}
