// Package gadget is a kind without protobuf, for tests of servers. Nothing of it is tagged for
// protobuf, and it has shapes that protobuf has no words for. So its objects are stored as the
// documents that were sent. Start reading at v1.Gadget. No program imports it.
//
// +typeplane:apiserver
package gadget

// GadgetStrategy has what differs from a custom resource.
type GadgetStrategy struct{}

// AllowUnconditionalUpdate keeps the requests of tests short: they name no resourceVersion.
func (GadgetStrategy) AllowUnconditionalUpdate() bool { return true }
