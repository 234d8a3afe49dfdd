//go:build later

package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane"
)

// release is the server as it will be without extensions/v1beta1.
func release(s typeplane.Server) typeplane.Server {
	return s.Without(schema.GroupVersion{Group: "extensions", Version: "v1beta1"})
}
