//go:build earlier

package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane"
)

// release is the server as it was before autoscaling/v2: autoscalers are stored in
// extensions/v1beta1 or in autoscaling/v1.
func release(s typeplane.Server) typeplane.Server {
	return s.Without(schema.GroupVersion{Group: "autoscaling", Version: "v2"})
}
