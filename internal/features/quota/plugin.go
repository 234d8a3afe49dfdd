package quota

import (
	"context"
	"errors"
	"fmt"
	"path"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/storage"
)

// PluginName is the plug-in's in flags and messages.
const PluginName = "ResourceQuota"

// Patience is how long a closed gate may stand still before whoever waits opens it.
const Patience = 3 * time.Second

// Objects are the stored objects of one namespaced resource, of the hub's type. A registry.Objects
// is one.
type Objects interface {
	// Names are those under which the resource is served, that of the hub first.
	Names() []schema.GroupResource
	// List returns the entries of a namespace.
	List(ctx context.Context, namespace string, opts storage.ListOptions) (storage.Page, error)
	// Decode makes an object of an entry, which belongs to the caller except for its strings.
	Decode(entry storage.Entry) (apiruntime.Object, error)
	// Replace is the operation that writes obj over the version of a revision.
	Replace(obj apiruntime.Object, revision int64) (storage.Op, error)
}

// Config is what the plug-in reads and writes.
type Config struct {
	// Quotas are the ResourceQuotas, *corev1.ResourceQuota.
	Quotas Objects
	// Objects are those of every resource that is charged: all that are namespaced and don't
	// expire, Quotas among them.
	Objects []Objects
	// Gates keeps what lies below GatePrefix, in the database of the objects, as it is.
	Gates storage.Interface
	// Limited is what needs a quota; nothing does if it is empty.
	Limited []Limited
	// Patience is for tests; 0 is the constant.
	Patience time.Duration
}

// quotas is the plug-in.
type quotas struct {
	objects Objects
	kinds   map[schema.GroupResource]*kind
	all     []*kind
	gates   gates
	queue   queue
}

// New returns the plug-in.
func New(config Config) (admission.Plugin, error) {
	if config.Quotas == nil || config.Gates == nil {
		return admission.Plugin{}, errors.New("quota: no Quotas, or no Gates")
	}
	if config.Patience == 0 {
		config.Patience = Patience
	}
	q := &quotas{
		objects: config.Quotas,
		kinds:   map[schema.GroupResource]*kind{},
		gates:   gates{store: config.Gates, patience: config.Patience},
		queue:   queue{waiting: map[string]*turn{}},
	}
	for _, objects := range config.Objects {
		k := newKind(objects)
		q.all = append(q.all, k)
		for _, name := range objects.Names() {
			if q.kinds[name] != nil {
				return admission.Plugin{}, fmt.Errorf("quota: %s is given twice", name)
			}
			q.kinds[name] = k
		}
	}
	if err := q.limit(config.Limited); err != nil {
		return admission.Plugin{}, err
	}
	return admission.Plugin{Name: PluginName, Wants: q.wants, Transact: q.charge}, nil
}

// wants says whether a request can change what is used. Most updates can't.
func (q *quotas) wants(r *admission.Request) bool {
	k := q.kinds[r.Resource.GroupResource()]
	switch {
	case k == nil || r.Namespace == "":
		return false
	case r.Operation == admission.Update:
		return k.measure != nil || k.ofQuotas()
	}
	return r.Subresource == "" && (r.Operation == admission.Create || r.Operation == admission.Delete)
}

// quota is a ResourceQuota at a revision.
type quota struct {
	*corev1.ResourceQuota
	revision int64
	broken   error // why it can't be read: of such a one only the name is known, and it may limit anything
}

// list returns the quotas of a namespace.
func (q *quotas) list(ctx context.Context, namespace string, opts storage.ListOptions) ([]quota, error) {
	page, err := q.objects.List(ctx, namespace, opts)
	if err != nil {
		return nil, err
	}
	found := make([]quota, 0, len(page.Entries))
	for _, entry := range page.Entries {
		if entry.Err != nil {
			name := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: path.Base(entry.Key)}}
			found = append(found, quota{name, entry.Revision, entry.Err})
			continue
		}
		obj, err := q.objects.Decode(*entry)
		if err != nil {
			return nil, err
		}
		one, ok := obj.(*corev1.ResourceQuota)
		if !ok {
			return nil, fmt.Errorf("quota: %s is a %T", entry.Key, obj)
		}
		found = append(found, quota{one, entry.Revision, nil})
	}
	return found, nil
}
