package lossless

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion"
)

// annotation is that of a version's objects which holds what the version can't say. The hub never
// has it.
const annotation = "conversion.typeplane.dev/kept"

// trials bounds how often what is kept is tried on an object, if not all of it fits.
const trials = 64

// Kind converts the objects of a kind between its hub type H and a version V, by functions that may
// lose fields of the hub. It is immutable, except for memory that it uses again, and not copied.
type Kind[H, V any] struct {
	Up     func(*V, *H, conversion.Scope) error // to the hub
	Down   func(*H, *V, conversion.Scope) error // to the version
	Meta   func(*V) *metav1.ObjectMeta
	Fields []Field[H]
	backs  sync.Pool // of *H, for FromHub
}

// Field is a field of the hub that conversion may lose, whole or in part.
type Field[H any] struct {
	Path  string
	At    func(*H) any       // a pointer to it
	Same  func(a, b *H) bool // whether it is equal in both
	Take  func(to, from *H)  // copies it
	Shape *Shape
}

// record is the value of the annotation.
type record struct {
	Namespace string            `json:"namespace,omitempty"`
	Name      string            `json:"name"`
	UID       string            `json:"uid,omitempty"`
	Fields    map[string]*delta `json:"fields"`
}

// FromHub converts to the version. What the way back to the hub would not bring back goes to the
// annotation.
func (k *Kind[H, V]) FromHub(in *H, out *V, s conversion.Scope) error {
	if err := k.Down(in, out, s); err != nil {
		return err
	}
	meta := k.Meta(out)
	strip(meta)
	back, ok := k.backs.Get().(*H)
	if !ok {
		back = new(H)
	}
	defer func() {
		*back = *new(H)
		k.backs.Put(back)
	}()
	if k.Up(out, back, s) != nil {
		*back = *new(H) // nothing comes back, so everything is kept
	}
	var fields map[string]*delta
	for _, f := range k.Fields {
		if f.Same(in, back) {
			continue
		}
		hub, err := treeOf(f.At(in))
		if err != nil {
			return err
		}
		plain, err := treeOf(f.At(back))
		if err != nil {
			return err
		}
		if d := f.Shape.diff(hub, plain); d != nil {
			if fields == nil {
				fields = map[string]*delta{}
			}
			fields[f.Path] = d
		}
	}
	if len(fields) == 0 {
		return nil
	}
	text, err := compact(record{Namespace: meta.Namespace, Name: meta.Name, UID: string(meta.UID), Fields: fields})
	if err != nil {
		return err
	}
	annotations := make(map[string]string, len(meta.Annotations)+1)
	maps.Copy(annotations, meta.Annotations)
	annotations[annotation] = string(text)
	meta.Annotations = annotations
	return nil
}

// ToHub converts to the hub. What the annotation keeps is restored where the version still says
// what it said then; an annotation that is damaged or another object's restores nothing.
func (k *Kind[H, V]) ToHub(in *V, out *H, s conversion.Scope) error {
	text, ok := k.Meta(in).Annotations[annotation]
	if !ok {
		return k.Up(in, out, s)
	}
	plain := *in
	meta := k.Meta(&plain)
	strip(meta)
	if err := k.Up(&plain, out, s); err != nil {
		return err
	}
	var record record
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.UseNumber()
	if decoder.Decode(&record) != nil || !record.isOf(meta) {
		return nil
	}
	k.restore(record.Fields, out, s, min(trials, 1+maxTried/len(text)))
	return nil
}

// isOf tells whether a record was made for the object. Its sender may leave out the namespace and
// the uid.
func (r *record) isOf(meta *metav1.ObjectMeta) bool {
	return r.Name == meta.Name &&
		(r.Namespace == meta.Namespace || meta.Namespace == "") &&
		(r.UID == string(meta.UID) || r.UID == "" || meta.UID == "")
}

// restore puts what is kept into a hub that was converted without it. If all of it together would
// change what the version says, parts of it are tried, so that one that doesn't fit costs no other.
// left is how often something is tried.
func (k *Kind[H, V]) restore(kept map[string]*delta, hub *H, s conversion.Scope, left int) {
	said := k.says(hub, s)
	count := numberAll(kept, 0)
	on, best := make([]bool, count), (*H)(nil)
	var try func(low, high int)
	try = func(low, high int) {
		if low == high || left == 0 {
			return
		}
		left--
		setAll(on[low:high], true)
		if h := k.with(kept, on, hub); h != nil && said != nil && bytes.Equal(k.says(h, s), said) {
			best = h
			return
		}
		setAll(on[low:high], false)
		if high-low > 1 {
			try(low, (low+high)/2)
			try((low+high)/2, high)
		}
	}
	if try(0, count); best != nil {
		*hub = *best
	}
}

// with returns the hub with those parts of what is kept that are on, and leaves its argument as it
// is; nil, if they don't fit.
func (k *Kind[H, V]) with(kept map[string]*delta, on []bool, hub *H) *H {
	out := *hub
	for _, f := range k.Fields {
		delta := kept[f.Path]
		if delta == nil {
			continue
		}
		plain, err := treeOf(f.At(hub))
		if err != nil {
			return nil
		}
		restored := f.Shape.apply(delta, plain, on)
		if fingerprint(restored) == fingerprint(plain) {
			continue
		}
		fresh := new(H)
		at, r := f.At(fresh), room{maxMemory, map[reflect.Type][]reflect.StructField{}}
		text, err := compact(restored)
		if err != nil || !r.fits(reflect.TypeOf(at), restored) || json.Unmarshal(text, at) != nil {
			return nil
		}
		f.Take(&out, fresh)
	}
	return &out
}

// says returns what the version says of a hub, nil if it can't.
func (k *Kind[H, V]) says(hub *H, s conversion.Scope) []byte {
	v := new(V)
	if k.Down(hub, v, s) != nil {
		return nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return text
}

// strip takes the annotation away and leaves the map, which others may share, as it is.
func strip(meta *metav1.ObjectMeta) {
	if _, ok := meta.Annotations[annotation]; !ok {
		return
	}
	meta.Annotations = maps.Clone(meta.Annotations)
	if delete(meta.Annotations, annotation); len(meta.Annotations) == 0 {
		meta.Annotations = nil
	}
}

func setAll(on []bool, value bool) {
	for i := range on {
		on[i] = value
	}
}
