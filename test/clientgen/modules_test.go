package clientgen

// What is copied and printed needs these modules, and code-generator is run.
import (
	_ "github.com/typeplane/typeplane/runtime"
	_ "github.com/typeplane/typeplane/runtime/protobuf/apimachinery"
	_ "k8s.io/api/core/v1"
	_ "k8s.io/client-go/discovery/fake"
	_ "k8s.io/client-go/kubernetes"
	_ "k8s.io/code-generator/cmd/client-gen/types"
)
