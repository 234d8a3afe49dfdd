package audit

import (
	stdjson "encoding/json"
	"reflect"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// An event is written as encoding/json writes it: with all that there is, and with nothing.
func TestEncode(t *testing.T) {
	at := metav1.NewMicroTime(time.Date(2026, 11, 22, 13, 0, 0, 12_345_678, time.FixedZone("", 3600)))
	full := Event{
		Kind: "Event", APIVersion: "audit.k8s.io/v1", Level: LevelRequest, AuditID: "1", Stage: StageResponseComplete,
		RequestURI: "/api/v1/pods?a=<b>&c=\"d\"", Verb: "create",
		User:             User{Username: "ü", UID: "2", Groups: []string{"a", "b"}, Extra: map[string][]string{"z": {"1", "2"}, "a": {}}},
		ImpersonatedUser: &User{Username: "b"}, SourceIPs: []string{"::1"}, UserAgent: "kubectl\n\x00",
		ObjectRef:      &ObjectReference{"pods", "n", "p", "3", "g", "v1", "4", "status"},
		ResponseStatus: &Status{Status: "Failure", Message: "it is \u2028 so", Reason: "Invalid", Code: 422},
		RequestObject:  stdjson.RawMessage(`{ "a" : [1, "<"] }`), ResponseObject: stdjson.RawMessage(`null`),
		RequestReceivedTimestamp: at, StageTimestamp: at, Annotations: map[string]string{"b": "1", "a": "2"},
	}
	for i := range reflect.TypeFor[Event]().NumField() {
		if reflect.ValueOf(full).Field(i).IsZero() {
			t.Errorf("%s is not tried", reflect.TypeFor[Event]().Field(i).Name)
		}
	}
	for _, e := range []Event{full, {}, {ObjectRef: &ObjectReference{}, ResponseStatus: &Status{}, ImpersonatedUser: &User{}}} {
		want, err := stdjson.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		got, err := appendEvent([]byte("x"), &e)
		if err != nil || string(got) != "x"+string(want) {
			t.Errorf("%v\n%s\nwant\n%s", err, got, want)
		}
	}
	if _, err := appendEvent(nil, &Event{RequestObject: stdjson.RawMessage(`{`)}); err == nil {
		t.Error("a body that is not JSON: no error")
	}
}
