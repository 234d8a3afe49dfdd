package main

import (
	"context"
	"errors"
	"fmt"

	clientv3 "go.etcd.io/etcd/client/v3"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"

	"github.com/typeplane/typeplane/test/bench/pods"
)

// seeder puts pods into etcd as a server would have stored them, the same bytes for both.
type seeder struct {
	client *clientv3.Client
	// managed is what field ownership leaves in each pod of pods.Stored, which all have the same
	// fields.
	managed *corev1.Pod
}

func newSeeder(endpoint string) (*seeder, error) {
	managed, err := owned(pods.Stored(0))
	if err != nil {
		return nil, err
	}
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{endpoint}})
	return &seeder{client, managed}, err
}

// owned gives a pod the managedFields of a cluster: of the controller that has made it, and of the
// node that runs it.
func owned(pod *corev1.Pod) (*corev1.Pod, error) {
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	gvk := corev1.SchemeGroupVersion.WithKind("Pod")
	manager := func(subresource string) (*managedfields.FieldManager, error) {
		return managedfields.NewDefaultFieldManager(applyconfigurations.NewTypeConverter(scheme), scheme, scheme, scheme, gvk, gvk.GroupVersion(), subresource, nil)
	}
	controller, err := manager("")
	if err != nil {
		return nil, err
	}
	node, err := manager("status")
	if err != nil {
		return nil, err
	}
	pod.SetGroupVersionKind(gvk)
	started := pod.DeepCopy()
	started.Status = corev1.PodStatus{}
	empty := new(corev1.Pod)
	empty.SetGroupVersionKind(gvk)
	created, err := controller.Update(empty, started, "kube-controller-manager")
	if err != nil {
		return nil, err
	}
	pod.ManagedFields = created.(*corev1.Pod).ManagedFields
	running, err := node.Update(created, pod, "kubelet")
	if err != nil {
		return nil, err
	}
	managed := running.(*corev1.Pod)
	for i := range managed.ManagedFields {
		managed.ManagedFields[i].Time = new(pod.CreationTimestamp)
	}
	if len(managed.ManagedFields) != 2 {
		return nil, fmt.Errorf("%d managers in a pod, want 2", len(managed.ManagedFields))
	}
	return managed, nil
}

// value is the pod with number i as it is stored below a prefix. round makes it differ from the
// other rounds.
func (s *seeder) value(prefix string, i int, round string) ([]byte, error) {
	return encode(s.pod(i, round), storedAs(prefix))
}

func (s *seeder) pod(i int, round string) *corev1.Pod {
	pod := pods.Stored(i)
	pod.ManagedFields = s.managed.ManagedFields
	pod.Annotations[pods.Round] = round
	return pod
}

// storedAs is how pods lie below a prefix of etcd.
func storedAs(prefix string) string {
	if prefix == documentsPrefix {
		return asJSON
	}
	return protobuf
}

func key(prefix string, i int) string {
	return prefix + "/pods/" + pods.Namespace(i) + "/" + pods.Name(i)
}

// seed stores n pods below each of the prefixes, and returns how many bytes one of the last has.
func (s *seeder) seed(ctx context.Context, n int, prefixes ...string) (size int, err error) {
	const most = 100 // operations in one transaction of etcd, with its default limits
	var puts []clientv3.Op
	flush := func() error {
		if len(puts) == 0 {
			return nil
		}
		_, err := s.client.Txn(ctx).Then(puts...).Commit()
		puts = puts[:0]
		return err
	}
	for i := range n {
		for _, prefix := range prefixes {
			value, err := s.value(prefix, i, "0")
			if err != nil {
				return 0, err
			}
			size = len(value)
			puts = append(puts, clientv3.OpPut(key(prefix, i), string(value)))
		}
		if len(puts) >= most-len(prefixes) {
			if err := flush(); err != nil {
				return 0, err
			}
		}
	}
	return size, flush()
}

// behind makes events of the server with this prefix: it writes to etcd, behind its back.
func (s *seeder) behind(prefix string) func(ctx context.Context, i int, round, accept string) error {
	return func(ctx context.Context, i int, round, _ string) error {
		value, err := s.value(prefix, i, round)
		if err != nil {
			return err
		}
		response, err := s.client.Put(ctx, key(prefix, i), string(value), clientv3.WithPrevKV())
		if err == nil && response.PrevKv == nil {
			return errors.New("there was no such pod: " + key(prefix, i))
		}
		return err
	}
}

// stored is what lies in etcd.
func (s *seeder) stored(ctx context.Context, key string) ([]byte, error) {
	response, err := s.client.Get(ctx, key)
	if err != nil {
		return nil, err
	}
	if len(response.Kvs) != 1 {
		return nil, errors.New("there is nothing in etcd at " + key)
	}
	return response.Kvs[0].Value, nil
}
