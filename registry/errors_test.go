package registry_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/storage"
)

// failing answers everything with an error.
type failing struct{ err error }

func (f failing) Get(context.Context, string, storage.GetOptions) (storage.Entry, error) {
	return storage.Entry{}, f.err
}
func (f failing) List(context.Context, string, storage.ListOptions) (storage.Page, error) {
	return storage.Page{}, f.err
}
func (f failing) Watch(context.Context, string, storage.WatchOptions) (storage.Watcher, error) {
	return nil, f.err
}
func (f failing) Create(context.Context, string, []byte, ...storage.Op) (storage.Entry, error) {
	return storage.Entry{}, f.err
}
func (f failing) GuaranteedUpdate(context.Context, string, storage.TryUpdate) (storage.Entry, error) {
	return storage.Entry{}, f.err
}
func (f failing) Delete(context.Context, string, storage.CheckDelete) (storage.Entry, error) {
	return storage.Entry{}, f.err
}
func (f failing) Count(context.Context, string) (int64, error) { return 0, f.err }
func (f failing) Revision(context.Context) (int64, error)      { return 0, f.err }

// What a store wants clients to know, they are told.
func TestToldErrorsOfTheStore(t *testing.T) {
	const told = "the disk is full, and must be made larger"
	for verb, got := range verbs(t, &storage.Error{Code: storage.CodeNoSpace, Op: "op", Key: "/k", Told: told, Err: errors.New("cause")}) {
		t.Run(verb, func(t *testing.T) {
			wantStatus(t, got, 507, "InsufficientStorage", "the request was not carried out: "+told)
		})
	}
	for verb, got := range verbs(t, &storage.Error{Code: storage.CodeFailed, Op: "op", Key: "/k", Told: told, Err: errors.New("cause")}) {
		t.Run(verb, func(t *testing.T) {
			wantStatus(t, got, 500, "InternalError", "Internal error occurred: "+told)
		})
	}
}

// TestErrorsOfTheStore is the border: every code of the store, as each verb reports it.
func TestErrorsOfTheStore(t *testing.T) {
	type want struct {
		code    int32
		reason  metav1.StatusReason
		message string
		retry   int32
	}
	for _, tc := range []struct {
		code storage.Code
		want map[string]want // by verb; "" is for all others
	}{
		{storage.CodeNotFound, map[string]want{
			"get": {404, "NotFound", `widgets.shop.example.com "w" not found`, 0}, "update": {404, "NotFound", `widgets.shop.example.com "w" not found`, 0}}},
		{storage.CodeExists, map[string]want{
			"create": {409, "AlreadyExists", `widgets.shop.example.com "w" already exists`, 0}}},
		{storage.CodeConflict, map[string]want{
			"": {409, "Conflict", `Operation cannot be fulfilled on widgets.shop.example.com %q: the object has been modified; please apply your changes to the latest version and try again`, 0}}},
		{storage.CodeCorrupt, map[string]want{
			"": {500, "StorageReadError", `failed to read one or more widgets.shop.example.com from the storage: storage: op /k: stored value can't be read: cause`, 0}}},
		{storage.CodeCompacted, map[string]want{
			"list": {410, "Expired", "The resourceVersion for the provided list is too old.", 0}}},
		{storage.CodeFuture, map[string]want{
			"": {504, "Timeout", "Timeout: Too large resource version: 7, current: 5", 1}}},
		{storage.CodeTooLarge, map[string]want{
			"": {413, "RequestEntityTooLarge", "Request entity too large: the object is over the limit of the storage; make it smaller", 0}}},
		{storage.CodeUnavailable, map[string]want{
			"": {500, "ServerTimeout", "The %s operation against widgets.shop.example.com could not be completed at this time, please try again.", 2}}},
		{storage.CodeNotReady, map[string]want{
			"": {429, "TooManyRequests", "the watch cache is still being filled; try again", 1}}},
		{storage.CodeUnknown, map[string]want{
			"": {504, "Timeout", "Timeout: the storage did not answer in time; the request may or may not have been carried out: read the object to find out", 0}}},
		{storage.CodeNoSpace, map[string]want{
			"": {507, "InsufficientStorage", "the storage has no space left, so the request was not carried out; objects can still be read and deleted", 0}}},
		{storage.CodeFailed, map[string]want{
			"": {500, "InternalError", "Internal error occurred: the storage has failed", 0}}},
		{storage.CodeInvalidKey, map[string]want{
			"": {400, "BadRequest", "invalid name or namespace: cause", 0}}},
		{storage.CodeOther, map[string]want{
			"": {500, "InternalError", "Internal error occurred: storage: op /k: failed: cause", 0}}},
	} {
		err := &storage.Error{Code: tc.code, Op: "op", Key: "/k", Revision: 7, Current: 5, Err: errors.New("cause")}
		if tc.code == storage.CodeUnavailable || tc.code == storage.CodeUnknown {
			err.Err = fmt.Errorf("cause: %w", context.DeadlineExceeded) // as it mostly is
		}
		for verb, got := range verbs(t, err) {
			w, ok := tc.want[verb]
			if !ok {
				if w, ok = tc.want[""]; !ok {
					continue
				}
			}
			if tc.code == storage.CodeConflict {
				name := "w"
				if verb == "list" || verb == "watch" {
					name = ""
				}
				w.message = fmt.Sprintf(w.message, name)
			}
			w.message = strings.ReplaceAll(w.message, "%s", verb)
			t.Run(fmt.Sprintf("%s of %s", tc.code, verb), func(t *testing.T) {
				wantStatus(t, got, w.code, w.reason, w.message)
				if text := got.Error(); w.retry > 1 && !strings.Contains(text, "cause") {
					t.Errorf("the log would not say why: %s", text)
				}
				if d := status(t, got).Details; w.retry != 0 && d.RetryAfterSeconds != w.retry {
					t.Errorf("retry after %d s, want %d", d.RetryAfterSeconds, w.retry)
				}
			})
		}
	}
}

// A client that tries again by itself is not told to where the storage said nothing: each time
// would take as long.
func TestNoAnswer(t *testing.T) {
	err := &storage.Error{Code: storage.CodeUnavailable, Op: "op", Key: "/k", Err: fmt.Errorf("%w within 30s", storage.ErrNoAnswer)}
	for verb, got := range verbs(t, err) {
		wantStatus(t, got, 504, metav1.StatusReasonTimeout, "Timeout: the storage did not answer in time; nothing was changed")
		if details := status(t, got).Details; details != nil && details.RetryAfterSeconds != 0 || !strings.Contains(got.Error(), "within 30s") {
			t.Errorf("%s: %+v, %v", verb, details, got)
		}
	}
}

// Where it is known that the storage can carry out nothing, that is said, and it costs nothing to
// ask again.
func TestNoQuorum(t *testing.T) {
	err := &storage.Error{Code: storage.CodeUnavailable, Op: "op", Key: "/k", Err: fmt.Errorf("%w: 10.0.0.7", storage.ErrNoQuorum)}
	for verb, got := range verbs(t, err) {
		wantStatus(t, got, 503, metav1.StatusReasonServiceUnavailable, "the storage has no quorum: most of its members are down or can't be reached, so the request was not carried out; reads with resourceVersion=0 are answered")
		if details := status(t, got).Details; details == nil || details.RetryAfterSeconds != 1 || !strings.Contains(got.Error(), "10.0.0.7") {
			t.Errorf("%s: %+v, %v", verb, details, got)
		}
	}
}

// verbs runs every verb over a store that fails with err, and returns what they say. A watch that
// starts nevertheless is left out.
func verbs(t *testing.T, err error) map[string]error {
	t.Helper()
	s := serveThrough(t, strategy{}, func(storage.Interface) storage.Interface { return failing{err} })
	obj := func() *widget.V1 { return parse(t, widget.GV1, `{"metadata":{"name":"w"}}`).(*widget.V1) }
	got := map[string]error{}
	_, got["get"] = s.v1.Get.Get(ctx, named, metav1.GetOptions{})
	_, got["list"] = s.v1.List.List(ctx, "", metav1.ListOptions{})
	_, got["create"] = s.v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, obj(), metav1.CreateOptions{})
	_, _, got["update"] = s.v1.Update.Update(ctx, new(rest.Request), named, obj(), metav1.UpdateOptions{})
	_, got["delete"] = s.v1.Delete.Delete(ctx, new(rest.Request), named, metav1.DeleteOptions{})
	if _, werr := s.v1.Watch.Watch(ctx, "", metav1.ListOptions{ResourceVersion: "1"}); werr != nil {
		got["watch"] = werr
	}
	return got
}

func TestErrorsOfTheContextStayWhatTheyAre(t *testing.T) {
	for _, err := range []error{context.Canceled, context.DeadlineExceeded, fmt.Errorf("etcd: %w", context.DeadlineExceeded)} {
		for verb, got := range verbs(t, err) {
			if got != err {
				t.Errorf("%s: %v, want %v", verb, got, err)
			}
		}
	}
}
