package main

// described is part of the strategies of kinds whose metadata can be written together with the
// status: those that were there before Kubernetes left that out.
type described struct{}

// StatusMetadata says that a write of the status writes the metadata, too.
func (described) StatusMetadata() bool { return true }

// orphaning is part of the strategies of kinds whose pods stay, if a client says nothing else.
type orphaning struct{}

// OrphansDependents says that what the object owns stays when it is deleted.
func (orphaning) OrphansDependents() bool { return true }
