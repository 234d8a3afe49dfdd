package server

import (
	"net/url"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
)

// Whatever stands in a query, its options are read, or refused with a 400 or a 422; what is read
// keeps its bounds.
func FuzzOptions(f *testing.F) {
	for _, query := range []string{
		"watch=1&resourceVersion=0&allowWatchBookmarks=true&timeoutSeconds=9223372036854775807",
		"limit=9223372036854775808", "limit=-1&continue=e30", "timeoutSeconds=1e3", "gracePeriodSeconds=-0",
		"watch&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=",
		"resourceVersion=0x1&resourceVersionMatch=Exact", "resourceVersion=1&resourceVersionMatch=Near&limit=1",
		"labelSelector=a+in+(b,c),!d,e&fieldSelector=metadata.name!%3Dx", "labelSelector=((((&fieldSelector=%5C%5C%3D",
		"dryRun=All&dryRun=All&fieldManager=%00&fieldValidation=Strict", "dryRun=&force=&orphanDependents=&propagationPolicy=",
		"propagationPolicy=Sometimes&ignoreStoreReadErrorWithClusterBreakingPotential=yes",
	} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, text string) {
		query, err := url.ParseQuery(text)
		if err != nil {
			t.Skip()
		}
		for _, verb := range []string{"list", "watch", "deletecollection"} {
			opts, err := listOptions(requestInfo{Verb: verb}, query)
			if refused(t, err) {
				continue
			}
			if opts.Limit < 0 || opts.TimeoutSeconds != nil && *opts.TimeoutSeconds < 0 || opts.Watch != (verb == "watch") {
				t.Errorf("%s gives %+v", verb, opts)
			}
			// What was accepted here must be readable where it is used.
			if _, err := labels.Parse(opts.LabelSelector); err != nil {
				t.Error(err)
			}
			if _, err := fields.ParseSelector(opts.FieldSelector); err != nil {
				t.Error(err)
			}
		}
		_, err = createOptions(query)
		refused(t, err)
		_, err = updateOptions(query)
		refused(t, err)
		for _, kind := range []types.PatchType{types.MergePatchType, types.ApplyPatchType} {
			_, err = patchOptions(query, kind)
			refused(t, err)
		}
		if opts, err := deleteOptions(requestInfo{Item: true}, query); !refused(t, err) && opts.GracePeriodSeconds != nil && *opts.GracePeriodSeconds < 0 {
			t.Errorf("a grace period of %d", *opts.GracePeriodSeconds)
		}
	})
}

// refused says whether there is an error; it must be one that blames the client.
func refused(t *testing.T, err error) bool {
	t.Helper()
	if err != nil && !apierrors.IsBadRequest(err) && !apierrors.IsInvalid(err) {
		t.Errorf("not a 400 or 422: %v", err)
	}
	return err != nil
}
