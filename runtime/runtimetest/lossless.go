package runtimetest

import (
	"fmt"
	"reflect"
	"testing"

	"sigs.k8s.io/randfill"

	"github.com/typeplane/typeplane/runtime"
)

// RunLossless checks, for each kind in each version that is not its own hub, that the way through
// the version loses nothing of a hub object. That holds whatever a client changes there. It makes
// hub objects, converts them to the version, changes one field after the other, and converts each
// of the results back. Then
//
//   - the change is there: the version says of the result what it says of the changed object;
//   - everything else is equal: the hub differs only where the change makes a difference to the
//     conversion of an object that has no annotation. An item of a list may lose what the version
//     can't say of it when it is itself changed;
//   - the hub never has the annotation, and the version has it only if something would be lost.
//
// Options.Fill must make hub objects that a client could have made: in which what a version doesn't
// show doesn't contradict what it shows.
func RunLossless(t *testing.T, scheme *runtime.Scheme, opts Options) {
	if opts.Rounds == 0 {
		opts.Rounds = 10
	}
	for _, group := range scheme.Groups() {
		for _, gv := range scheme.VersionsOf(group) {
			for _, kind := range scheme.KindsOf(gv) {
				if reflect.TypeOf(kind.New()) == reflect.TypeOf(kind.NewHub()) {
					continue
				}
				gvk := kind.GroupVersionKind()
				t.Run(gvk.GroupVersion().String()+"."+gvk.Kind, func(t *testing.T) { runLossless(t, kind, opts) })
			}
		}
	}
}

func runLossless(t *testing.T, kind *runtime.Kind, opts Options) {
	filler := newFiller(opts.Seed, opts.Fill)
	fields, changed := newReached(reflect.TypeOf(kind.NewHub())), 0
	for range opts.Rounds {
		hub := kind.NewHub()
		filler.Fill(hub)
		delete(runtime.Meta(hub).Annotations, runtime.LosslessAnnotation)
		fields.note("", reflect.ValueOf(hub))
		l := lossless{t: t, kind: kind, hub: hub}
		l.checkUnchanged()
		changed += l.checkChanges(filler)
		if t.Failed() {
			return // one bad object says enough
		}
	}
	for _, name := range fields.missed() {
		t.Errorf("%s was zero in all %d hub objects: the checks say nothing about it; give Options.Fill a function that sets it", name, opts.Rounds)
	}
	if changed == 0 {
		t.Error("no field could be changed: no changed object converts to the hub")
	}
}

// lossless checks one hub object.
type lossless struct {
	t    *testing.T
	kind *runtime.Kind
	hub  runtime.Object
}

// down is a copy of the hub in the version, up the way back.
func (l lossless) down(hub runtime.Object) runtime.Object {
	l.t.Helper()
	out, err := l.kind.FromHub(copied(hub))
	if err != nil {
		l.t.Fatalf("from the hub: %v", err)
	}
	return copied(out)
}

func (l lossless) up(version runtime.Object) runtime.Object {
	l.t.Helper()
	out, err := l.kind.ToHub(copied(version))
	if err != nil {
		l.t.Fatalf("to the hub: %v", err)
	}
	return copied(out)
}

func (l lossless) checkUnchanged() {
	l.t.Helper()
	version := l.down(l.hub)
	back := l.up(version)
	if diff := lost(l.hub, back); diff != "" {
		l.t.Errorf("conversion to the version and back changes the hub (-before +after):\n%s", diff)
	}
	if diff := lost(version, l.down(back)); diff != "" {
		l.t.Errorf("one hub object is two in the version (-first +second):\n%s", diff)
	}
	l.checkNeeded(l.hub)
	l.checkNeeded(l.up(plain(version))) // of which the version shows everything, as a rule
}

// checkNeeded looks whether the annotation is there for nothing.
func (l lossless) checkNeeded(hub runtime.Object) {
	l.t.Helper()
	version := l.down(hub)
	text, has := runtime.Meta(version).Annotations[runtime.LosslessAnnotation]
	if has && lost(hub, l.up(plain(version))) == "" {
		l.t.Errorf("the annotation is there though nothing would be lost: %s", text)
	}
}

// checkChanges changes every field of the version in turn and returns how many changes could be
// converted.
func (l lossless) checkChanges(filler *randfill.Filler) int {
	l.t.Helper()
	version := l.down(l.hub)
	before := l.up(plain(version))
	count := 0
	for i := 0; !l.t.Failed(); i++ {
		changed := copied(version)
		path, ok := mutate(changed, i, filler)
		if !ok {
			break
		}
		client, err := l.kind.ToHub(plain(changed))
		if err != nil {
			continue // the version itself refuses such an object
		}
		count++
		client = copied(client)
		got := l.up(changed)
		if diff := lost(plain(l.down(client)), plain(l.down(got))); diff != "" {
			l.t.Errorf("the change of %s is not, or not only, in what the version says afterwards (-want +got):\n%s", path, diff)
		}
		w := waysApart{before: before, client: client}
		if where := w.find(l.hub, got); where != "" {
			l.t.Errorf("the change of %s changes %s in the hub too (-before +after):\n%s", path, where, lost(l.hub, got))
		}
	}
	return count
}

// plain is a copy without the annotation.
func plain(obj runtime.Object) runtime.Object {
	out := copied(obj)
	meta := runtime.Meta(out)
	if delete(meta.Annotations, runtime.LosslessAnnotation); len(meta.Annotations) == 0 {
		meta.Annotations = nil
	}
	return out
}

func copied(obj runtime.Object) runtime.Object { return obj.DeepCopyObject().(runtime.Object) }

// mutate makes the i-th of all changes of an object outside of its metadata. They are another value
// for each value, something for nothing and nothing for something, and an item or entry more or
// less. ok is false if there are not so many.
func mutate(obj runtime.Object, i int, filler *randfill.Filler) (path string, ok bool) {
	m := mutation{left: i, filler: filler}
	m.walk("", reflect.ValueOf(obj).Elem())
	return m.path, m.done
}

// mutation walks through a value until no changes are left to skip, and makes the next.
type mutation struct {
	left   int
	filler *randfill.Filler
	path   string
	done   bool
}

// turn says whether the change that is offered is the one to make.
func (m *mutation) turn(format string, args ...any) bool {
	if m.done || m.left > 0 {
		m.left--
		return false
	}
	m.path, m.done = fmt.Sprintf(format, args...), true
	return true
}

func (m *mutation) walk(path string, v reflect.Value) {
	switch {
	case m.done:
	case opaque(v.Type()):
		m.another(path, v)
	case v.Kind() == reflect.Pointer:
		m.pointer(path, v)
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8:
		m.slice(path, v)
	case v.Kind() == reflect.Map:
		m.entries(path, v)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if f.IsExported() && f.Name != "TypeMeta" && f.Name != "ObjectMeta" {
				m.walk(path+"."+f.Name, v.Field(i))
			}
		}
	default:
		m.another(path, v)
	}
}

func (m *mutation) another(path string, v reflect.Value) {
	if m.turn("%s", path) {
		v.Set(m.filled(v.Type(), v))
	}
	if !v.IsZero() && m.turn("%s to nothing", path) {
		v.SetZero()
	}
}

func (m *mutation) pointer(path string, v reflect.Value) {
	if v.IsNil() {
		if m.turn("%s from nil", path) {
			v.Set(reflect.New(v.Type().Elem()))
			v.Elem().Set(m.filled(v.Type().Elem(), v.Elem()))
		}
		return
	}
	if m.turn("%s to nil", path) {
		v.SetZero()
		return
	}
	m.walk(path, v.Elem())
}

func (m *mutation) slice(path string, v reflect.Value) {
	if m.turn("%s, one item more", path) {
		v.Set(reflect.Append(v, m.filled(v.Type().Elem(), reflect.Value{})))
		return
	}
	for i := range v.Len() {
		if m.turn("%s[%d], removed", path, i) {
			rest := reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, v.Len()), v.Slice(0, i))
			v.Set(reflect.AppendSlice(rest, v.Slice(i+1, v.Len())))
			return
		}
		if m.walk(fmt.Sprintf("%s[%d]", path, i), v.Index(i)); m.done {
			return
		}
	}
}

func (m *mutation) entries(path string, v reflect.Value) {
	if m.turn("%s, one entry more", path) {
		if v.IsNil() {
			v.Set(reflect.MakeMap(v.Type()))
		}
		v.SetMapIndex(m.filled(v.Type().Key(), reflect.Value{}), m.filled(v.Type().Elem(), reflect.Value{}))
		return
	}
	for _, key := range sortedKeys(v) {
		if m.turn("%s[%v], removed", path, key) {
			v.SetMapIndex(key, reflect.Value{})
			return
		}
		value := reflect.New(v.Type().Elem()).Elem()
		value.Set(v.MapIndex(key))
		if m.walk(fmt.Sprintf("%s[%v]", path, key), value); m.done {
			v.SetMapIndex(key, value)
			return
		}
	}
}

// filled is a value that is not zero and, if it can be, not the one that there is.
func (m *mutation) filled(t reflect.Type, now reflect.Value) reflect.Value {
	v := reflect.New(t)
	for range 20 {
		m.filler.Fill(v.Interface())
		if !v.Elem().IsZero() && (!now.IsValid() || !reflect.DeepEqual(v.Elem().Interface(), now.Interface())) {
			break
		}
	}
	return v.Elem()
}
