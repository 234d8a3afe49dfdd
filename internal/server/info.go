package server

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// requestInfo is what the line of a request says: which verb, on what. Authorization and routing
// use the same one, so they can't disagree about what a path means.
type requestInfo struct {
	// IsResource is false for discovery, health and the like; then only Path and Verb are set, and
	// the Verb is the HTTP method in lower case.
	IsResource bool
	Path       string
	Verb       string

	Group       string
	Version     string
	Namespace   string
	Resource    string
	Subresource string
	// Name is the object's: from the path, or from the field selector metadata.name=… of a list or
	// watch.
	Name string
	// Item says that the name is in the path.
	Item bool
	// WatchPath says that the path asks for the watch, and not the query.
	WatchPath bool
	// Within says that the path goes on behind a namespace. AllNamespaces: that has no name, and
	// stands for all.
	Within, AllNamespaces bool
	// Rest is what follows the subresource in the path.
	Rest []string

	// FieldSelector and LabelSelector are set for verbs on collections.
	FieldSelector string
	LabelSelector string
}

func (i requestInfo) groupVersion() schema.GroupVersion {
	return schema.GroupVersion{Group: i.Group, Version: i.Version}
}

// fullName is the resource with the subresource: "books/status".
func (i requestInfo) fullName() string {
	if i.Subresource == "" {
		return i.Resource
	}
	return i.Resource + "/" + i.Subresource
}

// below is what follows the subresource in the path, with its slashes; "" for nothing.
func (i requestInfo) below() string {
	below := ""
	if len(i.Rest) > 0 {
		below = "/" + strings.Join(i.Rest, "/")
	}
	if strings.HasSuffix(i.Path, "/") {
		below += "/"
	}
	return below
}

// parseInfo reads
//
//	/api/{version}/…                               the group without a name
//	/apis/{group}/{version}/…
//	… [watch/] [namespaces/{namespace}/] {resource} [/{name} [/{subresource} [/{rest}…]]]
//
// A watch in the path is the old way to ask for one, of a collection or of one object. The error is
// a 400 for a path that nobody sends by mistake; the requestInfo beside it is good for
// authentication only.
func parseInfo(method string, u *url.URL, query url.Values) (requestInfo, error) {
	info := requestInfo{Path: u.Path, Verb: strings.ToLower(method)}
	if err := checkPath(u); err != nil {
		return info, err
	}
	parts, ok := splitPath(u.Path)
	if !ok {
		return info, nil
	}
	switch {
	case len(parts) >= 3 && parts[0] == "api":
		info.Version, parts = parts[1], parts[2:]
	case len(parts) >= 4 && parts[0] == "apis":
		info.Group, info.Version, parts = parts[1], parts[2], parts[3:]
	default:
		return info, nil
	}
	info.IsResource = true
	if parts[0] == "watch" && len(parts) > 1 {
		info.WatchPath, parts = true, parts[1:]
	}

	// A namespace is itself an object: /namespaces/x and its subresources are about the resource
	// "namespaces".
	if parts[0] == "namespaces" && len(parts) > 1 {
		info.Namespace, info.AllNamespaces = parts[1], parts[1] == ""
		if len(parts) > 2 && (info.AllNamespaces || parts[2] != "status" && parts[2] != "finalize") {
			info.Within, parts = true, parts[2:]
		}
	}
	info.Resource = parts[0]
	if len(parts) > 1 {
		info.Name, info.Item = parts[1], true
	}
	if len(parts) > 2 {
		info.Subresource, info.Rest = parts[2], parts[3:]
	}
	info.readVerb(method, query)
	return info, checkNames(info)
}

// readVerb needs the rest of the requestInfo.
func (i *requestInfo) readVerb(method string, query url.Values) {
	if i.WatchPath {
		// Selectors do not come with it: those of one object are ignored, and who authorizes must
		// not go by them.
		i.Verb = "watch"
		return
	}
	switch method {
	case http.MethodPost:
		i.Verb = "create"
	case http.MethodPut:
		i.Verb = "update"
	case http.MethodPatch:
		i.Verb = "patch"
	case http.MethodDelete:
		i.Verb = "delete"
		if !i.Item {
			i.Verb = "deletecollection"
		}
	case http.MethodGet, http.MethodHead:
		i.Verb = "get"
		if !i.Item {
			i.Verb = "list"
			if method == http.MethodGet && boolParameter(query, "watch") {
				i.Verb = "watch"
			}
			i.Name = selectedName(query)
		}
	default:
		i.Verb = ""
	}
	switch i.Verb {
	case "list", "watch", "deletecollection":
		i.FieldSelector = query.Get("fieldSelector")
		i.LabelSelector = query.Get("labelSelector")
	}
}

// selectedName is the name that the field selector admits, if it admits only one that could be in a
// path.
func selectedName(query url.Values) string {
	text := query.Get("fieldSelector")
	if text == "" {
		return ""
	}
	selector, err := fields.ParseSelector(text)
	if err != nil {
		return ""
	}
	name, ok := selector.RequiresExactMatch("metadata.name")
	if !ok || pathSegmentProblem(name) != "" {
		return ""
	}
	return name
}

// splitPath gives the segments. One slash at the end is forgiven. A segment without a name is not,
// except for a namespace with something behind it: clients send "namespaces//books" when they mean
// all of them.
func splitPath(path string) ([]string, bool) {
	path = strings.TrimPrefix(path, "/")
	path = strings.TrimSuffix(path, "/")
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if part == "" && (i == 0 || i == len(parts)-1 || parts[i-1] != "namespaces") {
			return nil, false
		}
	}
	return parts, true
}

// checkPath refuses what could be read in two ways by two programs.
func checkPath(u *url.URL) error {
	if strings.ContainsFunc(u.Path, unicode.IsControl) {
		return apierrors.NewBadRequest("the path contains a control character")
	}
	if !utf8.ValidString(u.Path) {
		return apierrors.NewBadRequest("the path is not UTF-8 once its %-escapes are decoded")
	}
	if strings.Contains(strings.ToLower(u.RawPath), "%2f") {
		return apierrors.NewBadRequest("the path contains an encoded slash (%2f), which no name may have")
	}
	for part := range strings.SplitSeq(u.Path, "/") {
		if part == "." || part == ".." {
			return apierrors.NewBadRequest(fmt.Sprintf("the path contains %q; send the path that is meant", part))
		}
	}
	return nil
}

func checkNames(i requestInfo) error {
	if problem := pathSegmentProblem(i.Name); i.Item && problem != "" {
		return apierrors.NewBadRequest(fmt.Sprintf("Name parameter invalid: %q: %s", i.Name, problem))
	}
	if problem := pathSegmentProblem(i.Namespace); i.Namespace != "" && problem != "" {
		return apierrors.NewBadRequest(fmt.Sprintf("Namespace parameter invalid: %q: %s", i.Namespace, problem))
	}
	return nil
}

// pathSegmentProblem says why name can't be a part of a path; "" if it can.
func pathSegmentProblem(name string) string {
	switch {
	case name == "." || name == "..":
		return fmt.Sprintf("may not be '%s'", name)
	case strings.Contains(name, "/"):
		return "may not contain '/'"
	case strings.Contains(name, "%"):
		return "may not contain '%'"
	}
	return ""
}

// boolParameter is true for a name with any value but "0" and "false", also with none: "?watch" is
// a watch.
func boolParameter(query url.Values, name string) bool {
	values, ok := query[name]
	if !ok || len(values) == 0 {
		return false
	}
	return values[0] != "0" && !strings.EqualFold(values[0], "false")
}
