package v1beta1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// NodeMetrics is what a node of the same name uses.
//
// +kubebuilder:resource:path=nodes,scope=Cluster
// +typeplane:key-prefix=metrics/nodes
type NodeMetrics struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is that of every object. Labels are those of the node.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// timestamp is the end of the time in which it was measured.
	Timestamp metav1.Time `json:"timestamp" protobuf:"bytes,2,opt,name=timestamp"`

	// window is how long that was.
	Window metav1.Duration `json:"window" protobuf:"bytes,3,opt,name=window"`

	// usage has cpu, and memory as the working set.
	Usage corev1.ResourceList `json:"usage" protobuf:"bytes,4,rep,name=usage"`
}

// NodeMetricsList is a list of them.
type NodeMetricsList struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is that of every list.
	// +optional
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// items are the objects.
	Items []NodeMetrics `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// PodMetrics is what a pod of the same name uses.
//
// +kubebuilder:resource:path=pods
// +typeplane:key-prefix=metrics/pods
type PodMetrics struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is that of every object. Labels are those of the pod.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// timestamp is the end of the time in which it was measured.
	Timestamp metav1.Time `json:"timestamp" protobuf:"bytes,2,opt,name=timestamp"`

	// window is how long that was.
	Window metav1.Duration `json:"window" protobuf:"bytes,3,opt,name=window"`

	// containers are those of the pod.
	// +listType=atomic
	Containers []ContainerMetrics `json:"containers" protobuf:"bytes,4,rep,name=containers"`
}

// PodMetricsList is a list of them.
type PodMetricsList struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is that of every list.
	// +optional
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// items are the objects.
	Items []PodMetrics `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// ContainerMetrics is what a container uses.
type ContainerMetrics struct {
	// name of the container in its pod.
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`

	// usage has cpu, and memory as the working set.
	Usage corev1.ResourceList `json:"usage" protobuf:"bytes,2,rep,name=usage"`
}
