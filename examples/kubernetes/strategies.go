package kubernetes

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/validation"

	"github.com/typeplane/typeplane/features/strategy"
)

// NodeStrategy holds what is special about nodes.
type NodeStrategy struct {
	uncounted
	described
}

// StatusOnCreate: a kubelet registers its node with what it has.
func (NodeStrategy) StatusOnCreate() bool { return true }

// EndpointsStrategy holds what is special about endpoints.
type EndpointsStrategy struct{ uncounted }

// AllowCreateOnUpdate: an update makes them, too.
func (EndpointsStrategy) AllowCreateOnUpdate() bool { return true }

// ClusterTrustBundleStrategy holds how bundles are called.
type ClusterTrustBundleStrategy struct{ uncounted }

// ValidateName: a bundle of a signer begins with its name, with colons for slashes.
func (ClusterTrustBundleStrategy) ValidateName(name string, prefix bool) []string {
	return validation.NameIsDNSSubdomain(name[strings.LastIndexByte(name, ':')+1:], prefix)
}

// Kinds whose changes Kubernetes does not count.
type (
	ControllerRevisionStrategy      struct{ uncounted }
	RuntimeClassStrategy            struct{ uncounted }
	ResourceClaimStrategy           struct{ uncounted }
	ResourceClaimTemplateStrategy   struct{ uncounted }
	CSINodeStrategy                 struct{ uncounted }
	CSIStorageCapacityStrategy      struct{ uncounted }
	VolumeAttachmentStrategy        struct{ uncounted }
	VolumeAttributesClassStrategy   struct{ uncounted }
	PodCertificateRequestStrategy   struct{ uncounted }
	StorageVersionMigrationStrategy struct{ uncounted }
)

// Kinds whose metadata can be written together with the status.
type (
	PersistentVolumeStrategy      struct{ strategy.PersistentVolume }
	PersistentVolumeClaimStrategy struct {
		strategy.PersistentVolumeClaim
	}
	CronJobStrategy                 struct{ described }
	HorizontalPodAutoscalerStrategy struct{ described }
	IngressStrategy                 struct{ described }
	PodDisruptionBudgetStrategy     struct{ described }
)

// described is part of the strategies of such kinds: the older ones.
type described struct{}

// StatusMetadata says that a write of the status writes the metadata, too.
func (described) StatusMetadata() bool { return true }

// ReplicationControllerStrategy holds what is special about replication controllers.
type ReplicationControllerStrategy struct {
	described
	orphaning
}

// orphaning is part of the strategies of kinds whose pods stay, if a client says nothing else.
type orphaning struct{}

// OrphansDependents says that what the object owns stays when it is deleted.
func (orphaning) OrphansDependents() bool { return true }

// uncounted is part of the strategies of such kinds.
type uncounted struct{}

// HasGeneration says that changes are not counted.
func (uncounted) HasGeneration() bool { return false }
