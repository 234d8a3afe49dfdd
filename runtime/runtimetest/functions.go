package runtimetest

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	kjson "sigs.k8s.io/json"

	"github.com/typeplane/typeplane/runtime"
)

// checkFunctions compares what the kind's functions do with what reflection and the methods of the
// Go type do: they say nothing about an object that these do not.
func checkFunctions(t *testing.T, kind *runtime.Kind, obj runtime.Object) {
	t.Helper()
	obj = typed(obj, kind.GroupVersionKind())
	data, err := kind.AppendJSON([]byte("x"), obj)
	want, wantErr := json.Marshal(obj)
	if err != nil || wantErr != nil || string(data[1:]) != string(want) {
		t.Errorf("AppendJSON writes (%v)\n%s\nencoding/json (%v)\n%s", err, data[1:], wantErr, want)
		return
	}
	if data, err := kind.AppendJSON(nil, obj); err != nil || string(data) != string(want) || cap(data) > 2*len(data)+32 {
		t.Errorf("AppendJSON of nil writes (%v), with room for %d bytes,\n%s\nencoding/json\n%s", err, cap(data), data, want)
	}
	checkReading(t, kind, want)
	checkReading(t, kind, append([]byte(`{"unknown":1,"metadata":{"name":"first","what":{}},`), want[1:]...))
	checkReading(t, kind, want[:len(want)/2])
	copied := kind.DeepCopy(obj)
	if diff := difference(obj, copied); diff != "" {
		t.Errorf("DeepCopy changes the object (-original +copy):\n%s", diff)
	}
	if path := sharedMemory("", reflect.ValueOf(obj), reflect.ValueOf(copied)); path != "" {
		t.Errorf("DeepCopy: the copy shares memory with the original at %s", path)
	}
	if kind.Protobuf() {
		checkMessage(t, kind, obj)
	}
}

// checkReading wants the object, the strict errors and the error of sigs.k8s.io/json. After an
// error there is no object.
func checkReading(t *testing.T, kind *runtime.Kind, data []byte) {
	t.Helper()
	got, want := kind.New(), kind.New()
	strict, err := kind.ReadJSON(bytes.Clone(data), got)
	wantStrict, wantErr := kjson.UnmarshalStrict(data, want)
	if textOf(err) != textOf(wantErr) {
		t.Errorf("ReadJSON: error %v, sigs.k8s.io/json: %v, for\n%s", err, wantErr, data)
		return
	}
	if wantErr != nil {
		return
	}
	if diff := difference(want, got); diff != "" {
		t.Errorf("ReadJSON reads another object than sigs.k8s.io/json (-want +got):\n%s", diff)
	}
	if len(strict) != len(wantStrict) {
		t.Errorf("ReadJSON: strict errors %v, sigs.k8s.io/json: %v", strict, wantStrict)
		return
	}
	for i := range strict {
		if strict[i].Error() != wantStrict[i].Error() {
			t.Errorf("ReadJSON: strict error %v, sigs.k8s.io/json: %v", strict[i], wantStrict[i])
		}
	}
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// checkMessage wants the bytes of the methods, and the same object of them, whether it shares their
// memory or not.
func checkMessage(t *testing.T, kind *runtime.Kind, obj runtime.Object) {
	t.Helper()
	want := encoded(t, kind, obj)
	message, err := kind.AppendMessage(nil, obj)
	if err != nil || !bytes.Equal(message, want) {
		t.Errorf("AppendMessage writes (%v) other bytes than the methods:\n%q\n%q", err, message, want)
		return
	}
	own, shared := kind.New(), kind.New()
	if err := kind.Unmarshal(message, own); err != nil {
		t.Errorf("Unmarshal: %v", err)
	}
	if err := kind.UnmarshalShared(message, shared); err != nil {
		t.Errorf("UnmarshalShared: %v", err)
	}
	if diff := difference(own, shared); diff != "" {
		t.Errorf("UnmarshalShared reads another object than Unmarshal (-want +got):\n%s", diff)
	}
	checkRecycler(t, kind, message, own)
	before := own.DeepCopyObject()
	clear(message)
	if diff := difference(before, own); diff != "" {
		t.Errorf("Unmarshal: the object changes with the message (-before +after):\n%s", diff)
	}
}

// checkRecycler reads the message, one cut short, an empty one, and the message again, and wants
// nothing of one in the next.
func checkRecycler(t *testing.T, kind *runtime.Kind, message []byte, want runtime.Object) {
	t.Helper()
	read := kind.Recycler()
	for _, data := range [][]byte{message, message[:len(message)/2], nil, message} {
		fresh := kind.New()
		wantErr := kind.UnmarshalShared(data, fresh)
		got, err := read(data)
		if textOf(err) != textOf(wantErr) {
			t.Errorf("Recycler: error %v, UnmarshalShared: %v", err, wantErr)
		} else if diff := difference(fresh, got); err == nil && diff != "" {
			t.Errorf("Recycler reads another object than UnmarshalShared (-want +got):\n%s", diff)
		}
	}
	got, err := read(message)
	if err != nil || difference(want, got) != "" {
		t.Errorf("Recycler: %v", err)
		return
	}
	if again, err := kind.AppendMessage(nil, got); err != nil || !bytes.Equal(again, message) {
		t.Errorf("Recycler: what was read is written (%v) as other bytes:\n%q\n%q", err, again, message)
	}
}
