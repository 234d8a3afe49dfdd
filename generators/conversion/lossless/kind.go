package lossless

import (
	"bytes"
	"encoding/json"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion"
)

// losslessKey is the annotation of a version's objects that holds what the version can't say. The hub never has it.
const losslessKey = "conversion.typeplane.dev/kept"

// losslessTrials bounds how often what is kept is tried on an object, if not all of it fits.
const losslessTrials = 64

// losslessKind converts the objects of a kind between its hub type H and a version V, by functions that may lose fields
// of the hub. It is immutable.
type losslessKind[H, V any] struct {
	up     func(*V, *H, conversion.Scope) error
	down   func(*H, *V, conversion.Scope) error
	meta   func(*V) *metav1.ObjectMeta
	fields []losslessField[H]
}

// losslessField is a field of the hub that conversion may lose, whole or in part.
type losslessField[H any] struct {
	path  string
	at    func(*H) any       // a pointer to it
	same  func(a, b *H) bool // whether it is equal in both
	take  func(to, from *H)  // copies it
	shape *losslessShape
}

// losslessRecord is the value of the annotation.
type losslessRecord struct {
	Namespace string                    `json:"namespace,omitempty"`
	Name      string                    `json:"name"`
	UID       string                    `json:"uid,omitempty"`
	Fields    map[string]*losslessDelta `json:"fields"`
}

// fromHub converts to the version. What the way back to the hub would not bring back goes to the annotation.
func (k *losslessKind[H, V]) fromHub(in *H, out *V, s conversion.Scope) error {
	if err := k.down(in, out, s); err != nil {
		return err
	}
	meta := k.meta(out)
	losslessStrip(meta)
	back := new(H)
	if k.up(out, back, s) != nil {
		*back = *new(H) // nothing comes back, so everything is kept
	}
	fields := map[string]*losslessDelta{}
	for _, f := range k.fields {
		if f.same(in, back) {
			continue
		}
		hub, err := losslessTree(f.at(in))
		if err != nil {
			return err
		}
		plain, err := losslessTree(f.at(back))
		if err != nil {
			return err
		}
		if d := f.shape.diff(hub, plain); d != nil {
			fields[f.path] = d
		}
	}
	if len(fields) == 0 {
		return nil
	}
	text, err := losslessJSON(losslessRecord{Namespace: meta.Namespace, Name: meta.Name, UID: string(meta.UID), Fields: fields})
	if err != nil {
		return err
	}
	annotations := make(map[string]string, len(meta.Annotations)+1)
	maps.Copy(annotations, meta.Annotations)
	annotations[losslessKey] = string(text)
	meta.Annotations = annotations
	return nil
}

// toHub converts to the hub. What the annotation keeps is restored where the version still says what it said then; an
// annotation that is damaged or another object's restores nothing.
func (k *losslessKind[H, V]) toHub(in *V, out *H, s conversion.Scope) error {
	text, ok := k.meta(in).Annotations[losslessKey]
	if !ok {
		return k.up(in, out, s)
	}
	plain := *in
	meta := k.meta(&plain)
	losslessStrip(meta)
	if err := k.up(&plain, out, s); err != nil {
		return err
	}
	var record losslessRecord
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.UseNumber()
	if decoder.Decode(&record) != nil || !record.isOf(meta) {
		return nil
	}
	k.restore(record.Fields, out, s)
	return nil
}

// isOf tells whether a record was made for the object. Its sender may leave out the namespace and the uid.
func (r *losslessRecord) isOf(meta *metav1.ObjectMeta) bool {
	return r.Name == meta.Name &&
		(r.Namespace == meta.Namespace || meta.Namespace == "") &&
		(r.UID == string(meta.UID) || r.UID == "" || meta.UID == "")
}

// restore puts what is kept into a hub that was converted without it. If all of it together would change what the
// version says, parts of it are tried, so that one that doesn't fit costs no other.
func (k *losslessKind[H, V]) restore(kept map[string]*losslessDelta, hub *H, s conversion.Scope) {
	said := k.says(hub, s)
	count := losslessNumber(kept, 0)
	on, best, left := make([]bool, count), (*H)(nil), losslessTrials
	var try func(low, high int)
	try = func(low, high int) {
		if low == high || left == 0 {
			return
		}
		left--
		losslessSet(on[low:high], true)
		if h := k.with(kept, on, hub); h != nil && said != nil && bytes.Equal(k.says(h, s), said) {
			best = h
			return
		}
		losslessSet(on[low:high], false)
		if high-low > 1 {
			try(low, (low+high)/2)
			try((low+high)/2, high)
		}
	}
	if try(0, count); best != nil {
		*hub = *best
	}
}

// with returns the hub with those parts of what is kept that are on, and leaves its argument as it is; nil, if they
// don't fit.
func (k *losslessKind[H, V]) with(kept map[string]*losslessDelta, on []bool, hub *H) *H {
	out := *hub
	for _, f := range k.fields {
		delta := kept[f.path]
		if delta == nil {
			continue
		}
		plain, err := losslessTree(f.at(hub))
		if err != nil {
			return nil
		}
		restored := f.shape.apply(delta, plain, on)
		if losslessPrint(restored) == losslessPrint(plain) {
			continue
		}
		fresh := new(H)
		text, err := losslessJSON(restored)
		if err != nil || json.Unmarshal(text, f.at(fresh)) != nil {
			return nil
		}
		f.take(&out, fresh)
	}
	return &out
}

// says returns what the version says of a hub, nil if it can't.
func (k *losslessKind[H, V]) says(hub *H, s conversion.Scope) []byte {
	v := new(V)
	if k.down(hub, v, s) != nil {
		return nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return text
}

// losslessStrip takes the annotation away and leaves the map, which others may share, as it is.
func losslessStrip(meta *metav1.ObjectMeta) {
	if _, ok := meta.Annotations[losslessKey]; !ok {
		return
	}
	meta.Annotations = maps.Clone(meta.Annotations)
	if delete(meta.Annotations, losslessKey); len(meta.Annotations) == 0 {
		meta.Annotations = nil
	}
}

func losslessSet(on []bool, value bool) {
	for i := range on {
		on[i] = value
	}
}
