package strategy

// WithMetadata is part of the strategies of kinds whose metadata can be written together with the
// status: those that were there before Kubernetes left that out.
type WithMetadata struct{}

// StatusMetadata says that a write of the status writes the metadata, too.
func (WithMetadata) StatusMetadata() bool { return true }

// Uncounted is part of the strategies of kinds whose changes Kubernetes does not count.
type Uncounted struct{}

// HasGeneration says that changes are not counted.
func (Uncounted) HasGeneration() bool { return false }

// Orphaning is part of the strategies of kinds whose pods stay, if a client says nothing else.
type Orphaning struct{}

// OrphansDependents says that what the object owns stays when it is deleted.
func (Orphaning) OrphansDependents() bool { return true }
