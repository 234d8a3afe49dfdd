// Package gadget is a kind without protobuf, for tests of servers. Nothing of it is tagged for
// protobuf, and it has shapes that protobuf has no words for. So its objects are stored as the
// documents that were sent. Start reading at v1.Gadget. No program imports it.
//
// +typeplane:apiserver
package gadget
