package garbage

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/wire"
)

// reportUnknown says, once, that an object stays because nobody knows the kind of an owner.
func (c *collector) reportUnknown(it item, ref wire.OwnerReference) {
	if c.graph.report(it.node, uidOf(ref.UID)) {
		c.log.Warn("an object has an owner of a kind that is not served, and is not collected; take the reference out if that kind is gone for ever",
			"resource", c.kinds[it.kind].Name, "namespace", it.name.Namespace, "name", it.name.Name, "owner", ref.APIVersion+" "+ref.Kind+" "+ref.Name)
	}
}

// reportNamespace says, once, that an owner is in another namespace than its dependent, where it
// can't be an owner. An event says it to the users of the object.
func (c *collector) reportNamespace(ctx context.Context, it item, ref wire.OwnerReference) {
	if !c.graph.report(it.node, uidOf(ref.UID)) {
		return
	}
	namespace := it.name.Namespace
	message := fmt.Sprintf("ownerRef [%s/%s, namespace: %s, name: %s, uid: %s] does not exist in namespace %q",
		ref.APIVersion, ref.Kind, namespace, ref.Name, ref.UID, namespace)
	c.log.Warn("an object has an owner in another namespace", "resource", c.kinds[it.kind].Name, "namespace", namespace, "name", it.name.Name, "problem", message)
	if c.events == nil {
		return
	}
	if err := c.record(ctx, it, message); err != nil {
		c.log.Warn("record an event", "resource", c.kinds[it.kind].Name, "namespace", namespace, "name", it.name.Name, "error", err)
	}
}

// record makes the event. Those of objects in no namespace are in default, as everywhere.
func (c *collector) record(ctx context.Context, it item, message string) error {
	k, now := c.kinds[it.kind], metav1.Now()
	meta, found, err := k.get(ctx, it.name, false)
	if err != nil || !found {
		return err
	}
	namespace := it.name.Namespace
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	event := &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprintf("%s.%x", it.name.Name, time.Now().UnixNano())},
		InvolvedObject: corev1.ObjectReference{APIVersion: k.GroupVersion.String(), Kind: k.Kind, Namespace: it.name.Namespace, Name: it.name.Name,
			UID: types.UID(meta.UID), ResourceVersion: meta.ResourceVersion},
		Reason: "OwnerRefInvalidNamespace", Message: message, Type: corev1.EventTypeWarning,
		Source: corev1.EventSource{Component: "garbage-collector-controller"}, FirstTimestamp: now, LastTimestamp: now, Count: 1,
		ReportingController: "garbage-collector-controller",
	}
	_, err = c.events.Create(ctx, new(rest.Request), rest.Name{Namespace: namespace, Name: event.Name}, event, metav1.CreateOptions{})
	return err
}
