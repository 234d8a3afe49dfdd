package codebench

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/typeplane/typeplane/test/codebench/kinds"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestDeepCopyFloor says what cannot be had for less. Its copies know these very objects, with all
// their lists of one item. They allocate nothing besides the maps, the bytes and one block for
// everything else.
func TestDeepCopyFloor(t *testing.T) {
	floor(t, "core.v1.Node", (*kinds.Node).DeepCopy, kinds.DeepCopy_Node, floorNode)
	floor(t, "core.v1.ConfigMap", (*kinds.ConfigMap).DeepCopy, kinds.DeepCopy_ConfigMap, floorConfigMap)
}

func floor[T any](t *testing.T, kind string, peer, ours, least func(*T) *T) {
	in := new(T)
	if err := json.Unmarshal(fixture(t, kind, "json"), in); err != nil {
		t.Fatal(err)
	}
	checkCopy(t, kind, in, least(in))
	if !testing.Verbose() {
		return
	}
	copies := []func() any{func() any { return peer(in) }, func() any { return ours(in) }, func() any { return least(in) }}
	times := copyTimes(true, copies...)
	for i, side := range []string{"peer", "ours", "floor"} {
		t.Logf("%-18s %-5s %8v %2.0f allocations, %.2f times as fast", kind, side, times[i],
			testing.AllocsPerRun(20, func() { kept = copies[i]() }), float64(times[0])/float64(times[i]))
	}
}

// metaRoom is what the metadata of the fixtures needs.
type metaRoom struct {
	owners     [1]metav1.OwnerReference
	managed    [1]metav1.ManagedFieldsEntry
	fields     metav1.FieldsV1
	times      [2]metav1.Time
	finalizers [1]string
	grace      int64
	bools      [2]bool
}

func floorMeta(room *metaRoom, in, out *metav1.ObjectMeta) {
	*out = *in
	room.times = [2]metav1.Time{*in.DeletionTimestamp, *in.ManagedFields[0].Time}
	room.grace, room.finalizers[0] = *in.DeletionGracePeriodSeconds, in.Finalizers[0]
	room.owners[0], room.managed[0] = in.OwnerReferences[0], in.ManagedFields[0]
	room.bools = [2]bool{*in.OwnerReferences[0].Controller, *in.OwnerReferences[0].BlockOwnerDeletion}
	room.owners[0].Controller, room.owners[0].BlockOwnerDeletion = &room.bools[0], &room.bools[1]
	in.ManagedFields[0].FieldsV1.DeepCopyInto(&room.fields)
	room.managed[0].Time, room.managed[0].FieldsV1 = &room.times[1], &room.fields
	out.DeletionTimestamp, out.DeletionGracePeriodSeconds, out.Finalizers = &room.times[0], &room.grace, room.finalizers[:]
	out.OwnerReferences, out.ManagedFields = room.owners[:], room.managed[:]
	out.Labels, out.Annotations = maps.Clone(in.Labels), maps.Clone(in.Annotations)
}

func floorConfigMap(in *corev1.ConfigMap) *corev1.ConfigMap {
	all := new(struct {
		corev1.ConfigMap
		metaRoom
		immutable bool
	})
	out := &all.ConfigMap
	out.TypeMeta = in.TypeMeta
	floorMeta(&all.metaRoom, &in.ObjectMeta, &out.ObjectMeta)
	all.immutable = *in.Immutable
	out.Immutable, out.Data = &all.immutable, maps.Clone(in.Data)
	out.BinaryData = make(map[string][]byte, len(in.BinaryData))
	for key, value := range in.BinaryData {
		out.BinaryData[key] = slices.Clone(value)
	}
	return out
}

// configRoom is what a source of a node's configuration needs.
type configRoom struct {
	source corev1.NodeConfigSource
	of     corev1.ConfigMapNodeConfigSource
}

func (room *configRoom) copy(in *corev1.NodeConfigSource) *corev1.NodeConfigSource {
	room.of = *in.ConfigMap
	room.source.ConfigMap = &room.of
	return &room.source
}

func floorNode(in *corev1.Node) *corev1.Node {
	all := new(struct {
		corev1.Node
		metaRoom
		configs    [4]configRoom
		config     corev1.NodeConfigStatus
		taints     [1]corev1.Taint
		added      metav1.Time
		conditions [1]corev1.NodeCondition
		addresses  [1]corev1.NodeAddress
		images     [1]corev1.ContainerImage
		attached   [1]corev1.AttachedVolume
		inUse      [1]corev1.UniqueVolumeName
		strings    [4]string
		handlers   [1]corev1.NodeRuntimeHandler
		handler    corev1.NodeRuntimeHandlerFeatures
		features   corev1.NodeFeatures
		bools      [4]bool
		preemption corev1.NodePodPreemptionPolicy
		swap       corev1.NodeSwapStatus
		capacity   int64
	})
	out := &all.Node
	*out = *in
	floorMeta(&all.metaRoom, &in.ObjectMeta, &out.ObjectMeta)
	spec, status := &in.Spec, &in.Status
	all.strings = [4]string{
		spec.PodCIDRs[0], status.Images[0].Names[0], status.DeclaredFeatures[0], spec.PodPreemptionPolicy.DisableResizePreemption[0],
	}
	all.taints[0], all.added = spec.Taints[0], *spec.Taints[0].TimeAdded
	all.taints[0].TimeAdded = &all.added
	out.Spec.PodCIDRs, out.Spec.Taints = all.strings[0:1:1], all.taints[:]
	out.Spec.ConfigSource = all.configs[0].copy(spec.ConfigSource)
	out.Status.Capacity, out.Status.Allocatable = floorResources(status.Capacity), floorResources(status.Allocatable)
	all.conditions[0], all.addresses[0], all.images[0] = status.Conditions[0], status.Addresses[0], status.Images[0]
	all.images[0].Names = all.strings[1:2:2]
	all.attached[0], all.inUse[0], all.handlers[0] = status.VolumesAttached[0], status.VolumesInUse[0], status.RuntimeHandlers[0]
	all.config = *status.Config
	all.config.Assigned, all.config.Active = all.configs[1].copy(status.Config.Assigned), all.configs[2].copy(status.Config.Active)
	all.config.LastKnownGood = all.configs[3].copy(status.Config.LastKnownGood)
	handler := status.RuntimeHandlers[0].Features
	all.bools = [4]bool{
		*handler.RecursiveReadOnlyMounts, *handler.UserNamespaces, *status.Features.SupplementalGroupsPolicy,
		*status.NodeInfo.RunningInUserNamespace,
	}
	all.preemption.DisableResizePreemption, all.capacity = all.strings[3:4:4], *status.NodeInfo.Swap.Capacity
	all.swap.Capacity = &all.capacity
	out.Spec.PodPreemptionPolicy, out.Status.NodeInfo.Swap = &all.preemption, &all.swap
	out.Status.NodeInfo.RunningInUserNamespace = &all.bools[3]
	all.handler = corev1.NodeRuntimeHandlerFeatures{RecursiveReadOnlyMounts: &all.bools[0], UserNamespaces: &all.bools[1]}
	all.handlers[0].Features, all.features.SupplementalGroupsPolicy = &all.handler, &all.bools[2]
	out.Status.Conditions, out.Status.Addresses, out.Status.Images = all.conditions[:], all.addresses[:], all.images[:]
	out.Status.VolumesAttached, out.Status.VolumesInUse, out.Status.DeclaredFeatures = all.attached[:], all.inUse[:], all.strings[2:3:3]
	out.Status.Config, out.Status.RuntimeHandlers, out.Status.Features = &all.config, all.handlers[:], &all.features
	return out
}

func floorResources(in corev1.ResourceList) corev1.ResourceList {
	out := make(corev1.ResourceList, len(in))
	for name, quantity := range in {
		out[name] = quantity.DeepCopy()
	}
	return out
}
