package metadata

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/rest"
)

const (
	// maxGeneratedBase is how much of a generateName is kept, so that the name fits into a DNS
	// label.
	maxGeneratedBase = utilvalidation.DNS1123LabelMaxLength - generatedSuffix
	generatedSuffix  = 5
	// generatedAlphabet has no vowels and nothing that looks like one, so no words come out.
	generatedAlphabet = "bcdfghjklmnpqrstvwxz2456789"
)

// PlaceIn makes the object's namespace that of the request, or says that they differ. namespaced
// says whether the resource has any.
func PlaceIn(meta *metav1.ObjectMeta, namespaced bool, name rest.Name) error {
	switch {
	case !namespaced:
		meta.Namespace = ""
	case meta.Namespace == "":
		meta.Namespace = name.Namespace
	case meta.Namespace != name.Namespace:
		return apierrors.NewBadRequest(fmt.Sprintf("the namespace of the provided object does not match the namespace sent on the request: metadata.namespace is %q, the URL says %q", meta.Namespace, name.Namespace))
	}
	return nil
}

// Rules are those of one resource.
type Rules struct {
	Namespaced bool
	Generation bool // objects have one
	// ValidateName says what is wrong with a name; nil: it is to be a DNS subdomain.
	ValidateName func(name string, prefix bool) []string
	Now          func() time.Time
}

// MatchName makes the object's name that of the request, or says that they differ.
func MatchName(meta *metav1.ObjectMeta, name rest.Name) error {
	if meta.Name == "" {
		meta.Name = name.Name
	}
	if meta.Name != name.Name {
		return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", meta.Name, name.Name))
	}
	return nil
}

// WipeSystemFields takes out what only the server sets.
func WipeSystemFields(meta *metav1.ObjectMeta) {
	meta.UID = ""
	meta.Generation = 0
	meta.CreationTimestamp = metav1.Time{}
	meta.DeletionTimestamp = nil
	meta.DeletionGracePeriodSeconds = nil
}

// FillSystemFields sets what every new object has, whatever is there: admission may not set it
// either.
func (r Rules) FillSystemFields(meta *metav1.ObjectMeta) {
	WipeSystemFields(meta)
	meta.UID = newUID()
	if r.Generation {
		meta.Generation = 1
	}
	meta.CreationTimestamp = r.Timestamp()
}

// CompleteImported fills in what every object has, where it is missing.
func (r Rules) CompleteImported(meta *metav1.ObjectMeta) {
	if meta.UID == "" {
		meta.UID = newUID()
	}
	if meta.Generation == 0 && r.Generation {
		meta.Generation = 1
	}
	if meta.CreationTimestamp.IsZero() {
		meta.CreationTimestamp = r.Timestamp()
	}
}

// Timestamp is the time now as it is stored: in whole seconds.
func (r Rules) Timestamp() metav1.Time {
	return metav1.NewTime(r.Now().UTC().Truncate(time.Second))
}

// KeepSystemFields puts what an update can't change back to what it was.
func KeepSystemFields(meta, old *metav1.ObjectMeta) {
	if meta.UID == "" {
		meta.UID = old.UID
	}
	meta.Generation = old.Generation
	meta.CreationTimestamp = old.CreationTimestamp
	// Once an object is being deleted there is no way back. Setting these on one that isn't is for
	// validation to refuse.
	if old.DeletionTimestamp != nil {
		meta.DeletionTimestamp = old.DeletionTimestamp
	}
	if old.DeletionGracePeriodSeconds != nil {
		meta.DeletionGracePeriodSeconds = old.DeletionGracePeriodSeconds
	}
}

// Reset gives meta what old has in the named fields, like "metadata.labels". Names of fields that
// are not in the metadata are passed over: callers name all that a write of a subresource resets.
func Reset(meta, old *metav1.ObjectMeta, fields []string) {
	for _, name := range fields {
		switch name {
		case "metadata.labels":
			meta.Labels = old.Labels
		case "metadata.annotations":
			meta.Annotations = old.Annotations
		case "metadata.finalizers":
			meta.Finalizers = old.Finalizers
		case "metadata.ownerReferences":
			meta.OwnerReferences = old.OwnerReferences
		}
	}
}

// newUID is a random (version 4) UUID.
func newUID() types.UID {
	var b [16]byte
	rand.Read(b[:]) // never fails: it ends the program if the system has no randomness
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	var s [36]byte
	hex.Encode(s[:], b[:4])
	hex.Encode(s[9:], b[4:6])
	hex.Encode(s[14:], b[6:8])
	hex.Encode(s[19:], b[8:10])
	hex.Encode(s[24:], b[10:])
	s[8], s[13], s[18], s[23] = '-', '-', '-', '-'
	return types.UID(s[:])
}

// GenerateName makes a name of a generateName.
func GenerateName(base string) string {
	if len(base) > maxGeneratedBase {
		base = base[:maxGeneratedBase]
	}
	var b [generatedSuffix]byte
	for i := range b {
		b[i] = generatedAlphabet[randomBelow(len(generatedAlphabet))]
	}
	return base + string(b[:])
}

// randomBelow returns a number in [0, n), each as likely as the other. n is at most 256.
func randomBelow(n int) int {
	var b [1]byte
	for {
		rand.Read(b[:])
		if int(b[0]) < 256/n*n {
			return int(b[0]) % n
		}
	}
}

// ValidateNew says what is wrong with the metadata of a new object.
func (r Rules) ValidateNew(meta *metav1.ObjectMeta) field.ErrorList {
	name := validation.NameIsDNSSubdomain
	if r.ValidateName != nil {
		name = r.ValidateName
	}
	return validation.ValidateObjectMeta(doubtful(meta), r.Namespaced, name, field.NewPath("metadata"))
}

// ValidateChange says what is wrong with the metadata of an updated object and with the change of
// it.
func (r Rules) ValidateChange(meta, old *metav1.ObjectMeta) field.ErrorList {
	path := field.NewPath("metadata")
	// A name that was good when the object was made is good for ever: it can't be changed.
	anyName := func(string, bool) []string { return nil }
	errs := validation.ValidateObjectMeta(doubtful(meta), r.Namespaced, anyName, path)
	if keepsIdentity(meta, old) {
		return errs // what is left to ask has been asked
	}
	return append(errs, validation.ValidateObjectMetaUpdate(meta, old, path)...) // an answer lists once what both find
}

// keepsIdentity says that an update leaves alone all that ValidateObjectMetaUpdate compares with
// the old object, by reflection.
func keepsIdentity(meta, old *metav1.ObjectMeta) bool {
	return meta.Name == old.Name && meta.Namespace == old.Namespace && meta.UID == old.UID &&
		meta.CreationTimestamp.Equal(&old.CreationTimestamp) &&
		meta.ResourceVersion != "" && meta.Generation >= old.Generation &&
		meta.DeletionTimestamp == nil && old.DeletionTimestamp == nil &&
		meta.DeletionGracePeriodSeconds == nil && old.DeletionGracePeriodSeconds == nil
}
