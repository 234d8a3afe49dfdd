package server

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/typeplane/typeplane/auth"
)

// The headers by which a user asks to act as another one.
const (
	impersonateUser  = "Impersonate-User"
	impersonateUID   = "Impersonate-Uid"
	impersonateGroup = "Impersonate-Group"
	impersonateExtra = "Impersonate-Extra-" // and the key
)

// authenticationGroup is the API group of the resources that stand for parts of a user.
const authenticationGroup = "authentication.k8s.io"

// impersonate lets the user act as the user in the headers. The first must be allowed to
// impersonate each part of the other: the name, every group, the uid, and every value of the extra.
// It takes the headers away.
func (s *Server) impersonate(c *call) error {
	header := c.req.Header
	asked, wanted, err := readImpersonation(header)
	if err != nil {
		return err
	}
	if asked == nil {
		return nil
	}
	if c.user == nil {
		return apierrors.NewUnauthorized("Unauthorized") // a public path, and nobody to ask for
	}
	for _, part := range wanted {
		part.User, part.Verb, part.IsResource, part.Path = c.user, "impersonate", true, c.info.Path
		if err := s.allows(c, part); err != nil {
			return err
		}
	}
	c.impersonator, c.user = c.user, asked
	return nil
}

// readImpersonation returns whom the headers name, nil for nobody, and what one has to be allowed
// to impersonate for that. It takes the headers away.
func readImpersonation(header http.Header) (*auth.User, []auth.Attributes, error) {
	user := &auth.User{Name: header.Get(impersonateUser), UID: header.Get(impersonateUID), Groups: slices.Clone(header[impersonateGroup])}
	var wanted []auth.Attributes
	if namespace, name, ok := auth.SplitServiceAccount(user.Name); ok {
		wanted = append(wanted, auth.Attributes{Version: "v1", Resource: "serviceaccounts", Namespace: namespace, Name: name})
	} else if user.Name != "" {
		wanted = append(wanted, auth.Attributes{Version: "v1", Resource: "users", Name: user.Name})
	}
	for _, group := range user.Groups {
		wanted = append(wanted, auth.Attributes{Version: "v1", Resource: "groups", Name: group})
	}
	if user.UID != "" {
		wanted = append(wanted, auth.Attributes{Group: authenticationGroup, Version: "v1", Resource: "uids", Name: user.UID})
	}
	for name, values := range header {
		rest, ok := strings.CutPrefix(name, impersonateExtra)
		if !ok {
			continue
		}
		key := auth.UnescapeExtraKey(rest)
		if user.Extra == nil {
			user.Extra = map[string][]string{}
		}
		user.Extra[key] = append(user.Extra[key], values...)
		for _, value := range values {
			wanted = append(wanted, auth.Attributes{Group: authenticationGroup, Version: "v1", Resource: "userextras", Subresource: key, Name: value})
		}
		header.Del(name)
	}
	for _, name := range []string{impersonateUser, impersonateUID, impersonateGroup} {
		header.Del(name)
	}
	switch {
	case len(wanted) == 0:
		return nil, nil, nil
	case user.Name == "":
		return nil, nil, apierrors.NewBadRequest(fmt.Sprintf("the request asks for groups, a uid or an extra of somebody else without the name of a user: send %s, too", impersonateUser))
	}
	addGroups(user)
	return user, wanted, nil
}

// addGroups adds the groups that the user has by what they are.
func addGroups(user *auth.User) {
	if namespace, _, ok := auth.SplitServiceAccount(user.Name); ok && len(user.Groups) == 0 {
		user.Groups = auth.ServiceAccountGroups(namespace)
	}
	switch {
	case user.Name == auth.UserAnonymous && !user.In(auth.GroupUnauthenticated):
		user.Groups = append(user.Groups, auth.GroupUnauthenticated)
	case user.Name != auth.UserAnonymous && !user.In(auth.GroupUnauthenticated) && !user.In(auth.GroupAuthenticated):
		user.Groups = append(user.Groups, auth.GroupAuthenticated)
	}
}
