package selection

import (
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/typeplane/typeplane/registry/rest"
)

// Keys says where the objects of a resource lie in its store.
type Keys struct {
	Prefix     string // with a slash at its end
	Namespaced bool
}

// Key returns where an object lies. Its errors are for the client.
func (k Keys) Key(name rest.Name) (string, error) {
	if name.Name == "" {
		return "", apierrors.NewBadRequest("name must be provided")
	}
	if msg := notASegment(name.Name); msg != "" {
		return "", apierrors.NewBadRequest("invalid name: " + msg)
	}
	if !k.Namespaced {
		return k.Prefix + name.Name, nil
	}
	if name.Namespace == "" {
		return "", apierrors.NewBadRequest("namespace must be provided")
	}
	if msg := notASegment(name.Namespace); msg != "" {
		return "", apierrors.NewBadRequest("invalid namespace: " + msg)
	}
	return k.Prefix + name.Namespace + "/" + name.Name, nil
}

// Collection returns the prefix of the objects in a namespace; "" is all of them.
func (k Keys) Collection(namespace string) (string, error) {
	if !k.Namespaced || namespace == "" {
		return k.Prefix, nil
	}
	if msg := notASegment(namespace); msg != "" {
		return "", apierrors.NewBadRequest("invalid namespace: " + msg)
	}
	return k.Prefix + namespace + "/", nil
}

// notASegment says why s can't be one segment of a path, "" if it can.
func notASegment(s string) string {
	switch {
	case s == "." || s == "..":
		return `may not be "` + s + `"`
	case strings.ContainsAny(s, "/%"):
		return `may not contain "/" or "%"`
	case strings.IndexByte(s, 0) >= 0:
		return "may not contain a NUL"
	}
	return ""
}

// NameOf is the name of the object at a key.
func (k Keys) NameOf(key string) rest.Name {
	key = strings.TrimPrefix(key, k.Prefix)
	if !k.Namespaced {
		return rest.Name{Name: key}
	}
	namespace, name, _ := strings.Cut(key, "/")
	return rest.Name{Namespace: namespace, Name: name}
}
