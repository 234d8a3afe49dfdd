// Package gadget is a kind for tests of servers: nothing of it is tagged for protobuf, and its
// types are such that protobuf has no words for, so its objects are stored as the documents that
// were sent. Start reading at v1.Gadget. No program imports it.
//
// +typeplane:apiserver
package gadget
