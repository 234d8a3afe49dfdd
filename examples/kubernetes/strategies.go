package kubernetes

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/validation"

	"github.com/typeplane/typeplane/features/strategy"
)

// NodeStrategy holds what is special about nodes.
type NodeStrategy struct {
	strategy.Uncounted
	strategy.WithMetadata
}

// StatusOnCreate: a kubelet registers its node with what it has.
func (NodeStrategy) StatusOnCreate() bool { return true }

// EndpointsStrategy holds what is special about endpoints.
type EndpointsStrategy struct{ strategy.Uncounted }

// AllowCreateOnUpdate: an update makes them, too.
func (EndpointsStrategy) AllowCreateOnUpdate() bool { return true }

// ClusterTrustBundleStrategy holds how bundles are called.
type ClusterTrustBundleStrategy struct{ strategy.Uncounted }

// ValidateName: a bundle of a signer begins with its name, with colons for slashes.
func (ClusterTrustBundleStrategy) ValidateName(name string, prefix bool) []string {
	return validation.NameIsDNSSubdomain(name[strings.LastIndexByte(name, ':')+1:], prefix)
}

// Kinds whose changes Kubernetes does not count.
type (
	ControllerRevisionStrategy      struct{ strategy.Uncounted }
	RuntimeClassStrategy            struct{ strategy.Uncounted }
	ResourceClaimStrategy           struct{ strategy.Uncounted }
	ResourceClaimTemplateStrategy   struct{ strategy.Uncounted }
	CSINodeStrategy                 struct{ strategy.Uncounted }
	CSIStorageCapacityStrategy      struct{ strategy.Uncounted }
	VolumeAttachmentStrategy        struct{ strategy.Uncounted }
	VolumeAttributesClassStrategy   struct{ strategy.Uncounted }
	PodCertificateRequestStrategy   struct{ strategy.Uncounted }
	StorageVersionMigrationStrategy struct{ strategy.Uncounted }
)

// Kinds whose metadata can be written together with the status.
type (
	PersistentVolumeStrategy        struct{ strategy.PersistentVolume }
	PersistentVolumeClaimStrategy   struct{ strategy.PersistentVolumeClaim }
	ReplicationControllerStrategy   struct{ strategy.ReplicationController }
	CronJobStrategy                 struct{ strategy.WithMetadata }
	HorizontalPodAutoscalerStrategy struct{ strategy.WithMetadata }
	IngressStrategy                 struct{ strategy.WithMetadata }
	PodDisruptionBudgetStrategy     struct{ strategy.WithMetadata }
)
