package main

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/validation"
)

// NodeStrategy holds what is special about nodes.
type NodeStrategy struct{ uncounted }

// StatusOnCreate: a kubelet registers its node with what it has.
func (NodeStrategy) StatusOnCreate() bool { return true }

// ServiceStrategy and EndpointsStrategy are for kinds that an update makes, too.
type (
	ServiceStrategy   struct{ uncounted }
	EndpointsStrategy struct{ uncounted }
)

// AllowCreateOnUpdate says so.
func (ServiceStrategy) AllowCreateOnUpdate() bool { return true }

// AllowCreateOnUpdate says so.
func (EndpointsStrategy) AllowCreateOnUpdate() bool { return true }

// ClusterTrustBundleStrategy holds how bundles are called.
type ClusterTrustBundleStrategy struct{ uncounted }

// ValidateName: a bundle of a signer begins with its name, with colons for slashes.
func (ClusterTrustBundleStrategy) ValidateName(name string, prefix bool) []string {
	return validation.NameIsDNSSubdomain(name[strings.LastIndexByte(name, ':')+1:], prefix)
}

// Kinds whose changes Kubernetes does not count.
type (
	PersistentVolumeStrategy        struct{ uncounted }
	PersistentVolumeClaimStrategy   struct{ uncounted }
	ControllerRevisionStrategy      struct{ uncounted }
	IPAddressStrategy               struct{ uncounted }
	ServiceCIDRStrategy             struct{ uncounted }
	RuntimeClassStrategy            struct{ uncounted }
	ResourceClaimStrategy           struct{ uncounted }
	ResourceClaimTemplateStrategy   struct{ uncounted }
	CSIDriverStrategy               struct{ uncounted }
	CSINodeStrategy                 struct{ uncounted }
	CSIStorageCapacityStrategy      struct{ uncounted }
	VolumeAttachmentStrategy        struct{ uncounted }
	VolumeAttributesClassStrategy   struct{ uncounted }
	PodCertificateRequestStrategy   struct{ uncounted }
	StorageVersionMigrationStrategy struct{ uncounted }
)

// uncounted is part of the strategies of such kinds.
type uncounted struct{}

// HasGeneration says that changes are not counted.
func (uncounted) HasGeneration() bool { return false }
