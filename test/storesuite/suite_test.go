package storesuite

import (
	"context"
	"fmt"
	"reflect"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	peer "k8s.io/apiserver/pkg/storage"
	suites "k8s.io/apiserver/pkg/storage/testing"
	"k8s.io/apiserver/pkg/storage/value/encrypt/identity"
)

// function is one of a suite, and what it wants. Its parameters are found by their types (see
// arguments); extra are those whose type says too little, in order.
type function struct {
	run   any
	extra func(p *place) []any
	// variant tells two rows for one function apart.
	variant string
	// notOver is a store that the function is not run over; README.md says why.
	notOver string
	set     settings
}

func values(v ...any) func(*place) []any { return func(*place) []any { return v } }

func failing(p *place) []any { return []any{p.setFailing} }

var corrupt = peer.NewCorruptObjError("", fmt.Errorf("bits flipped"))

// functions are in the order of store_tests.go and watcher_tests.go.
var functions = []function{
	{run: suites.RunTestCreate},
	{run: suites.RunTestCreateWithTTL},
	{run: suites.RunTestCreateWithKeyExist},
	{run: suites.RunTestGet},
	{run: suites.RunTestUnconditionalDelete},
	{run: suites.RunTestConditionalDelete},
	{run: suites.RunTestDeleteWithSuggestion},
	{run: suites.RunTestDeleteWithSuggestionAndConflict},
	{run: suites.RunTestDeleteWithConflict},
	{run: suites.RunTestDeleteWithSuggestionOfDeletedObject},
	{run: suites.RunTestValidateDeletionWithSuggestion},
	{run: suites.RunTestValidateDeletionWithOnlySuggestionValid},
	{run: suites.RunTestPreconditionalDeleteWithSuggestion},
	{run: suites.RunTestPreconditionalDeleteWithOnlySuggestionPass},
	{run: suites.RunTestList, variant: "results", extra: func(p *place) []any { return []any{false, p.lists} }},
	{run: suites.RunTestList, variant: "requests", notOver: "etcd3", extra: func(p *place) []any { return []any{true, p.lists} }},
	{run: suites.RunTestDeleteWithConflictAndMissingExpectedTransformOrDecodeError, extra: failing},
	{run: suites.RunTestDeleteExpectedTransformOrDecodeError, extra: failing},
	{run: suites.RunTestDeleteWithSuggestionAndMissingExpectedTransformOrDecodeError},
	{run: suites.RunTestConsistentList, set: settings{progress: time.Minute},
		extra: func(p *place) []any { return []any{p.cache != nil, true, true} }},
	{run: suites.RunTestGetListNonRecursive},
	{run: suites.RunTestGetListRecursivePrefix},
	{run: suites.RunTestGetListWithErrorAggregation, set: settings{unreadable: 100}, extra: values(corrupt)},
	{run: suites.RunTestGetListWithoutErrorAggregation, extra: values(corrupt)},
	{run: suites.RunTestListContinuation},
	{run: suites.RunTestListPaginationRareObject},
	{run: suites.RunTestListContinuationWithFilter},
	{run: suites.RunTestListInconsistentContinuation, set: settings{seen: true}}, // it begins with any state
	{run: suites.RunTestListResourceVersionMatch, notOver: "cacher"},
	{run: suites.RunTestGuaranteedUpdate},
	{run: suites.RunTestGuaranteedUpdateWithTTL},
	{run: suites.RunTestGuaranteedUpdateChecksStoredData, set: settings{codec: jsonCodec}}, // it puts a space before a value
	{run: suites.RunTestGuaranteedUpdateWithConflict},
	{run: suites.RunTestGuaranteedUpdateWithSuggestionAndConflict},
	{run: suites.RunTestTransformationFailure},
	{run: suites.RunTestStats, extra: func(p *place) []any { return []any{p.Codec, identity.NewEncryptCheckTransformer(), true} }},
	{run: suites.RunTestListPaging},
	{run: suites.RunTestNamespaceScopedList},
	{run: suites.RunTestCompactRevision, notOver: "cacher"},

	{run: suites.RunTestWatch},
	{run: suites.RunTestWatchFromZero},
	{run: suites.RunTestDeleteTriggerWatch},
	{run: suites.RunTestWatchFromNonZero},
	{run: suites.RunTestDelayedWatchDelivery},
	{run: suites.RunTestWatchError},
	{run: suites.RunTestWatchWithUnsafeDelete, set: settings{seen: true}, extra: values(corrupt)},
	{run: suites.RunTestWatchContextCancel},
	{run: suites.RunTestWatcherTimeout},
	{run: suites.RunTestWatchDeleteEventObjectHaveLatestRV},
	{run: suites.RunTestWatchInitializationSignal},
	{run: suites.RunOptionalTestProgressNotify},
	{run: suites.RunTestClusterScopedWatch},
	{run: suites.RunTestNamespaceScopedWatch},
	{run: suites.RunTestWatchDispatchBookmarkEvents, extra: values(true)},
	{run: suites.RunSendInitialEventsBackwardCompatibility},
	{run: suites.RunWatchSemantics},
	{run: suites.RunWatchSemanticInitialEventsExtended},
	{run: suites.RunWatchListMatchSingle},
	{run: suites.RunWatchErrorIsBlockingFurtherEvents},
}

func TestEtcd3(t *testing.T) { runOver(t, "etcd3") }

func TestCacher(t *testing.T) { runOver(t, "cacher") }

func runOver(t *testing.T, over string) {
	for _, f := range functions {
		if f.notOver == over {
			continue
		}
		name := f.name()
		if f.variant != "" {
			name += "/" + f.variant
		}
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, over == "cacher", f.set)
			reflect.ValueOf(f.run).Call(f.arguments(t, p))
		})
	}
}

// name is the function's own.
func (f function) name() string {
	full := goruntime.FuncForPC(reflect.ValueOf(f.run).Pointer()).Name()
	return full[strings.LastIndex(full, ".")+1:]
}

// arguments are the function's, by type.
func (f function) arguments(t *testing.T, p *place) []reflect.Value {
	given := []any{context.Background(), p, t, suites.KeyValidation(p.checkStored), suites.IncreaseRVFunc(p.increase), suites.Compaction(p.compact)}
	if p.cache == nil {
		given = append(given, suites.CallsValidation(p.checkCalls))
	} else {
		given = append(given, suites.CallsValidation(nil)) // the cache has read everything before, and asks nobody
	}
	var extra []any
	if f.extra != nil {
		extra = f.extra(p)
	}
	kind := reflect.TypeOf(f.run)
	args := make([]reflect.Value, kind.NumIn())
next:
	for i := range args {
		if n := len(args) - i; n <= len(extra) {
			args[i] = reflect.ValueOf(extra[len(extra)-n])
			continue
		}
		for _, v := range given {
			if reflect.TypeOf(v).AssignableTo(kind.In(i)) {
				args[i] = reflect.ValueOf(v)
				continue next
			}
		}
		t.Fatalf("parameter %d of %s: nothing is a %v", i, f.name(), kind.In(i))
	}
	return args
}
