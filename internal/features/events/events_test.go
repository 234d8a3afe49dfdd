package events_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/internal/features/servertest"
)

// Nothing changes in an event of events.k8s.io except how often it has happened. In the core group
// it changes as before.
func TestEventsChangeByTheirSeriesOnly(t *testing.T) {
	c := servertest.Start(t)
	const events = "/apis/events.k8s.io/v1/namespaces/default/events"
	event := `{"metadata":{"name":"e"},"eventTime":"2026-01-02T03:04:05.000006Z","type":"Normal","reason":"Pulled","action":"Pull","note":"n",
		"reportingController":"example.com/kubelet","reportingInstance":"k-1","regarding":{"kind":"Pod","name":"p","namespace":"default"}}`
	c.Want(http.StatusCreated, "", "POST", events, event)
	c.Want(http.StatusOK, `"count":2`, "PATCH", events+"/e", `{"series":{"count":2,"lastObservedTime":"2026-01-02T03:05:05.000006Z"}}`)
	c.Want(http.StatusOK, `"a":"b"`, "PATCH", events+"/e", `{"metadata":{"labels":{"a":"b"}}}`)
	c.Want(http.StatusUnprocessableEntity, `series.count: Invalid value: \"\": should be at least 2`, "PATCH", events+"/e", `{"series":{"count":1}}`)
	for field, value := range map[string]string{
		"regarding": `{"name":"q"}`, "reason": `"Pushed"`, "note": `"m"`, "type": `"Warning"`, "action": `"Push"`, "related": `{"kind":"Node","name":"n"}`,
		"reportingController": `"example.com/other"`, "reportingInstance": `"k-2"`, "eventTime": `"2026-01-02T03:04:05.000007Z"`,
		"deprecatedFirstTimestamp": `"2026-01-02T03:04:05Z"`, "deprecatedLastTimestamp": `"2026-01-02T03:04:05Z"`, "deprecatedCount": "3",
	} {
		answer := c.Want(http.StatusUnprocessableEntity, "field is immutable", "PATCH", events+"/e", `{"`+field+`":`+value+`}`)
		if strings.Count(answer, `"field":`) != 1 || !strings.Contains(answer, `"field":"`+field+`"`) {
			t.Errorf("%s: %s", field, answer)
		}
	}
	c.Want(http.StatusOK, `"message":"m"`, "PATCH", "/api/v1/namespaces/default/events/e", `{"message":"m"}`)
}

// One event, in two groups; it goes by itself. What is to be seen of it before that is seen in
// time, or the next one stays longer.
func TestEvents(t *testing.T) {
	for life := time.Second; !eventsAreSeen(t, life); life *= 2 {
	}
}

func eventsAreSeen(t *testing.T, life time.Duration) bool {
	t.Helper()
	c := servertest.Start(t, func(o *typeplane.Options) { o.API.EventTTL = life })
	const old, young = servertest.Namespaces + "/default/events", "/apis/events.k8s.io/v1/namespaces/default/events"
	requests := []struct {
		code                     int
		says, method, path, body string
	}{
		{201, `"note":"it did"`, "POST", young, `{"metadata":{"name":"e"},"eventTime":"2026-11-21T00:00:00.000000Z","reportingController":"example.com/me","reportingInstance":"me-1",
			"action":"Doing","reason":"Did","type":"Normal","note":"it did","regarding":{"kind":"Pod","name":"p","namespace":"default"}}`},
		{200, `"message":"it did"`, "GET", old + "?fieldSelector=involvedObject.name%3Dp", ""},
		{200, `"note":"it did"`, "GET", young + "?fieldSelector=regarding.name%3Dp", ""},
		{200, `"count":2`, "PATCH", old + "/e", `{"count":2}`},
	}
	var codes []int
	var answers []string
	begun := time.Now()
	for _, r := range requests {
		code, answer := c.Do(r.method, r.path, r.body)
		codes, answers = append(codes, code), append(answers, answer)
	}
	if time.Since(begun) >= life {
		return false
	}
	for i, r := range requests {
		if codes[i] != r.code || !strings.Contains(answers[i], r.says) {
			t.Errorf("%s %s: %d %s\nwant %d with %s", r.method, r.path, codes[i], answers[i], r.code, r.says)
		}
	}
	c.Want(422, "eventTime: Required value", "POST", young, `{"metadata":{"name":"f"},"type":"Normal"}`)
	c.Want(422, "does not match event.namespace", "POST", old, `{"metadata":{"name":"f"},"involvedObject":{"namespace":"other"}}`)
	c.Until(404, "", old+"/e")
	return true
}
