package metadata

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/rest"
)

// The bounds of what every object may have in its metadata. They are far over what anybody needs,
// and docs/operations.md lists them: every write, event and garbage collection looks at all of
// these.
const (
	maxOwnerReferences = 10_000
	maxFinalizers      = 1_000
	maxLabels          = 10_000
	maxAnnotations     = 10_000
	maxManagedFields   = 1_000
)

// CheckSize refuses metadata that has more entries than it may have. old is that of the object
// before an update, nil for a new one: what is stored with more may stay, but not grow.
func CheckSize(meta, old *metav1.ObjectMeta) field.ErrorList {
	if old == nil {
		old = new(metav1.ObjectMeta)
	}
	path := field.NewPath("metadata")
	var errs field.ErrorList
	for _, part := range []struct {
		name           string
		have, had, max int
	}{
		{"ownerReferences", len(meta.OwnerReferences), len(old.OwnerReferences), maxOwnerReferences},
		{"finalizers", len(meta.Finalizers), len(old.Finalizers), maxFinalizers},
		{"labels", len(meta.Labels), len(old.Labels), maxLabels},
		{"annotations", len(meta.Annotations), len(old.Annotations), maxAnnotations},
		{"managedFields", len(meta.ManagedFields), len(old.ManagedFields), maxManagedFields},
	} {
		if part.have > part.max && part.have > part.had {
			errs = append(errs, field.TooMany(path.Child(part.name), part.have, part.max))
		}
	}
	return errs
}

// What clients read whose owner references say something twice, in the words of Kubernetes; behind
// it are the uids.
const (
	OwnersTwice = ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, " +
		"and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: "
	OwnersTwiceAfterAdmission = ".metadata.ownerReferences contains duplicate entries after mutating admission happens; " +
		"API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; " +
		"please fix your requests; duplicate UID(s) observed: "
	// maxUIDs is how many uids such a warning names.
	maxUIDs = 20
)

// DropOwnersTwice keeps one of owner references that are equal in all that they say, and warns of
// the others. It keeps all of more than an object may have, so that checkSize can refuse that.
func DropOwnersTwice(notes *rest.Notes, meta *metav1.ObjectMeta, warning string) {
	if len(meta.OwnerReferences) < 2 {
		return
	}
	seen := map[ownerKey]bool{}
	var once []metav1.OwnerReference
	var uids []string
	for _, ref := range meta.OwnerReferences {
		switch key := keyOfOwner(ref); {
		case !seen[key]:
			seen[key] = true
			once = append(once, ref)
		case len(uids) < maxUIDs:
			uids = append(uids, string(ref.UID))
		}
		if len(once) > maxOwnerReferences {
			return
		}
	}
	twice := len(meta.OwnerReferences) - len(once)
	if twice == 0 {
		return
	}
	meta.OwnerReferences = once
	named := strings.Join(uids, ", ")
	if more := twice - len(uids); more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	notes.Warn(warning + named)
}

// ownerKey is all that an owner reference says. Of a flag that is not set that is something else
// than false.
type ownerKey struct {
	ref                metav1.OwnerReference
	controller, blocks flag
}

type flag struct{ set, value bool }

func keyOfOwner(ref metav1.OwnerReference) ownerKey {
	key := ownerKey{controller: flagOf(ref.Controller), blocks: flagOf(ref.BlockOwnerDeletion)}
	ref.Controller, ref.BlockOwnerDeletion = nil, nil
	key.ref = ref
	return key
}

func flagOf(b *bool) flag {
	if b == nil {
		return flag{}
	}
	return flag{set: true, value: *b}
}
