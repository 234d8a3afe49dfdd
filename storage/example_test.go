package storage_test

import (
	"context"
	"fmt"
	"log"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/memory"
)

// Whoever lists at a revision and watches after it misses nothing, and sees nothing twice.
func ExampleInterface() {
	ctx := context.Background()
	var store storage.Interface = memory.New(memory.Config{})
	store.Create(ctx, "/orders/first", []byte("pen"))

	page, err := store.List(ctx, "/orders/", storage.ListOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(page.Entries), "entry at revision", page.Revision)

	watch, err := store.Watch(ctx, "/orders/", storage.WatchOptions{After: page.Revision})
	if err != nil {
		log.Fatal(err)
	}
	defer watch.Close()
	store.GuaranteedUpdate(ctx, "/orders/first", func(current storage.Entry) ([]byte, []storage.Op, error) {
		return []byte(string(current.Value) + " and ink"), nil, nil
	})
	events, err := watch.Next(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s is %q at revision %d\n", events[0].Entry.Key, events[0].Entry.Value, events[0].Entry.Revision)
	// Output:
	// 1 entry at revision 2
	// /orders/first is "pen and ink" at revision 3
}

// A selector is a hint. The cache leaves out what its index rules out, other stores return
// everything; so whoever asks looks at what comes.
func ExampleWhere() {
	ctx, store := context.Background(), memory.New(memory.Config{})
	for key, item := range map[string]string{"/orders/1": "pen", "/orders/2": "ink", "/orders/3": "pen"} {
		store.Create(ctx, key, []byte(item))
	}
	cache, err := cacher.New(cacher.Config{Source: store, Prefix: "/orders/"})
	if err != nil {
		log.Fatal(err)
	}
	defer cache.Close()

	pens := &storage.Where{Attribute: "item", Value: "pen", Read: func(e storage.Entry) (string, bool, error) {
		return string(e.Value), true, nil
	}}
	page, err := cache.List(ctx, "/orders/", storage.ListOptions{Where: pens})
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range page.Entries {
		if item, ok, err := pens.Read(*e); err == nil && ok && item == pens.Value {
			fmt.Println(e.Key)
		}
	}
	// Output:
	// /orders/1
	// /orders/3
}

// A write may carry others in the same transaction: all of them happen, or none does.
func ExampleOp() {
	ctx, store := context.Background(), memory.New(memory.Config{})
	stock, err := store.Create(ctx, "/stock/pen", []byte("1"))
	if err != nil {
		log.Fatal(err)
	}
	take := storage.Op{Key: "/stock/pen", Value: []byte("0"), Expected: stock.Revision}
	_, err = store.Create(ctx, "/orders/1", []byte("pen"), take)
	fmt.Println(err)
	_, err = store.Create(ctx, "/orders/2", []byte("pen"), take)
	fmt.Println(err)
	// Output:
	// <nil>
	// storage: create /stock/pen: conflicting write
}
