package server

import (
	"fmt"
	"net/url"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
)

// This file reads options out of the query. A value that can't be read is a 400; what the options
// may say together is decided in validate.go. Names that no option has are ignored, as Kubernetes
// does.

func getOptions(query url.Values) metav1.GetOptions {
	return metav1.GetOptions{ResourceVersion: query.Get("resourceVersion")}
}

// listOptions reads and checks the options of list and watch.
func listOptions(i requestInfo, query url.Values) (metav1.ListOptions, error) {
	opts := metav1.ListOptions{
		LabelSelector:        query.Get("labelSelector"),
		FieldSelector:        query.Get("fieldSelector"),
		Watch:                i.Verb == "watch",
		AllowWatchBookmarks:  boolParameter(query, "allowWatchBookmarks"),
		ResourceVersion:      query.Get("resourceVersion"),
		ResourceVersionMatch: metav1.ResourceVersionMatch(query.Get("resourceVersionMatch")),
		Continue:             query.Get("continue"),
	}
	if query.Has("sendInitialEvents") {
		send := boolParameter(query, "sendInitialEvents")
		opts.SendInitialEvents = &send
	}
	timeout, err := intParameter(query, "timeoutSeconds")
	if err != nil {
		return opts, err
	}
	opts.TimeoutSeconds = timeout
	limit, err := intParameter(query, "limit")
	if err != nil {
		return opts, err
	}
	if limit != nil && !opts.Watch {
		opts.Limit = max(*limit, 0) // less than nothing is no limit, too
	}
	if i.WatchPath && i.Item {
		if opts.FieldSelector, err = onlyNamed(opts.FieldSelector, i.Name); err != nil {
			return opts, err
		}
	}
	if err := checkSelectors(opts); err != nil {
		return opts, err
	}
	if opts.Watch {
		defaultWatch(&opts)
		return opts, invalidOptions("ListOptions", validateWatch(opts))
	}
	return opts, invalidOptions("ListOptions", validateList(opts))
}

// onlyNamed is the selector of the object that a path names. A selector beside the path may name
// the same one.
func onlyNamed(selector, name string) (string, error) {
	if selector == "" {
		return fields.OneTermEqualSelector("metadata.name", name).String(), nil
	}
	parsed, err := fields.ParseSelector(selector)
	if err != nil {
		return "", apierrors.NewBadRequest(err.Error())
	}
	if selected, ok := parsed.RequiresExactMatch("metadata.name"); !ok || selected != name {
		return "", apierrors.NewBadRequest("fieldSelector metadata.name doesn't match requested name")
	}
	return selector, nil
}

// defaultWatch turns a watch from nowhere into one that begins with everything there is.
func defaultWatch(opts *metav1.ListOptions) {
	if opts.SendInitialEvents != nil || opts.ResourceVersionMatch != "" {
		return
	}
	if opts.ResourceVersion == "" || opts.ResourceVersion == "0" {
		send := true
		opts.SendInitialEvents = &send
		opts.ResourceVersionMatch = metav1.ResourceVersionMatchNotOlderThan
	}
}

// The bounds of a selector. All of it is compared with every object of a list, and with every one
// that changes while somebody watches, and a megabyte of it fits into a URL.
const (
	maxRequirements   = 1_000
	maxSelectorValues = 10_000
)

// checkSelectors refuses what can't be parsed, or is too long; which fields there are is known to
// the resource.
func checkSelectors(opts metav1.ListOptions) error {
	if opts.LabelSelector != "" {
		selector, err := labels.Parse(opts.LabelSelector)
		if err != nil {
			return apierrors.NewBadRequest(err.Error())
		}
		requirements, _ := selector.Requirements()
		values := 0
		for i := range requirements {
			values += len(requirements[i].ValuesUnsorted())
		}
		if len(requirements) > maxRequirements || values > maxSelectorValues {
			return apierrors.NewBadRequest(fmt.Sprintf("labelSelector has %d requirements with %d values, at most %d with %d are possible: send several requests", len(requirements), values, maxRequirements, maxSelectorValues))
		}
	}
	if opts.FieldSelector != "" {
		selector, err := fields.ParseSelector(opts.FieldSelector)
		if err != nil {
			return apierrors.NewBadRequest(err.Error())
		}
		if n := len(selector.Requirements()); n > maxRequirements {
			return apierrors.NewBadRequest(fmt.Sprintf("fieldSelector has %d requirements, at most %d are possible: send several requests", n, maxRequirements))
		}
	}
	return nil
}

func createOptions(query url.Values) (metav1.CreateOptions, error) {
	opts := metav1.CreateOptions{
		DryRun:          query["dryRun"],
		FieldManager:    query.Get("fieldManager"),
		FieldValidation: query.Get("fieldValidation"),
	}
	return opts, invalidOptions("CreateOptions", validateWrite(opts.DryRun, opts.FieldManager, opts.FieldValidation))
}

func updateOptions(query url.Values) (metav1.UpdateOptions, error) {
	opts := metav1.UpdateOptions{
		DryRun:          query["dryRun"],
		FieldManager:    query.Get("fieldManager"),
		FieldValidation: query.Get("fieldValidation"),
	}
	return opts, invalidOptions("UpdateOptions", validateWrite(opts.DryRun, opts.FieldManager, opts.FieldValidation))
}

func patchOptions(query url.Values, patchType types.PatchType) (metav1.PatchOptions, error) {
	opts := metav1.PatchOptions{
		DryRun:          query["dryRun"],
		FieldManager:    query.Get("fieldManager"),
		FieldValidation: query.Get("fieldValidation"),
	}
	if query.Has("force") {
		force := boolParameter(query, "force")
		opts.Force = &force
	}
	return opts, invalidOptions("PatchOptions", validatePatch(opts, patchType))
}

// deleteOptions reads the options of a DELETE without a body. The resourceVersion of a collection
// is that of the list and no precondition.
func deleteOptions(i requestInfo, query url.Values) (metav1.DeleteOptions, error) {
	opts := metav1.DeleteOptions{DryRun: query["dryRun"]}
	grace, err := intParameter(query, "gracePeriodSeconds")
	if err != nil {
		return opts, err
	}
	opts.GracePeriodSeconds = grace
	if query.Has("orphanDependents") {
		orphan := boolParameter(query, "orphanDependents")
		//lint:ignore SA1019 deprecated, but still what some clients send
		opts.OrphanDependents = &orphan
	}
	if query.Has("propagationPolicy") {
		policy := metav1.DeletionPropagation(query.Get("propagationPolicy"))
		opts.PropagationPolicy = &policy
	}
	if query.Has("ignoreStoreReadErrorWithClusterBreakingPotential") {
		ignore := boolParameter(query, "ignoreStoreReadErrorWithClusterBreakingPotential")
		opts.IgnoreStoreReadErrorWithClusterBreakingPotential = &ignore
	}
	var must metav1.Preconditions
	if uid := types.UID(query.Get("uid")); uid != "" {
		must.UID = &uid
	}
	if revision := query.Get("resourceVersion"); revision != "" && i.Item {
		must.ResourceVersion = &revision
	}
	if must != (metav1.Preconditions{}) {
		opts.Preconditions = &must
	}
	return opts, nil
}

// intParameter is nil if there is no such parameter.
func intParameter(query url.Values, name string) (*int64, error) {
	if !query.Has(name) {
		return nil, nil
	}
	value, err := strconv.ParseInt(query.Get(name), 10, 64)
	if err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("%s: %q is not a whole number", name, query.Get(name)))
	}
	return &value, nil
}
