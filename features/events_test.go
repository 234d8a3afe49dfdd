package features_test

import (
	"net/http"
	"strings"
	"testing"
)

// Of an event of events.k8s.io nothing changes but how often it has happened; in the core group it
// changes as ever.
func TestEventsChangeByTheirSeriesOnly(t *testing.T) {
	c := start(t)
	const events = "/apis/events.k8s.io/v1/namespaces/default/events"
	event := `{"metadata":{"name":"e"},"eventTime":"2026-01-02T03:04:05.000006Z","type":"Normal","reason":"Pulled","action":"Pull","note":"n",
		"reportingController":"example.com/kubelet","reportingInstance":"k-1","regarding":{"kind":"Pod","name":"p","namespace":"default"}}`
	c.want(http.StatusCreated, "", "POST", events, event)
	c.want(http.StatusOK, `"count":2`, "PATCH", events+"/e", `{"series":{"count":2,"lastObservedTime":"2026-01-02T03:05:05.000006Z"}}`)
	c.want(http.StatusOK, `"a":"b"`, "PATCH", events+"/e", `{"metadata":{"labels":{"a":"b"}}}`)
	c.want(http.StatusUnprocessableEntity, `series.count: Invalid value: \"\": should be at least 2`, "PATCH", events+"/e", `{"series":{"count":1}}`)
	for field, value := range map[string]string{
		"regarding": `{"name":"q"}`, "reason": `"Pushed"`, "note": `"m"`, "type": `"Warning"`, "action": `"Push"`, "related": `{"kind":"Node","name":"n"}`,
		"reportingController": `"example.com/other"`, "reportingInstance": `"k-2"`, "eventTime": `"2026-01-02T03:04:05.000007Z"`,
		"deprecatedFirstTimestamp": `"2026-01-02T03:04:05Z"`, "deprecatedLastTimestamp": `"2026-01-02T03:04:05Z"`, "deprecatedCount": "3",
	} {
		answer := c.want(http.StatusUnprocessableEntity, "field is immutable", "PATCH", events+"/e", `{"`+field+`":`+value+`}`)
		if strings.Count(answer, `"field":`) != 1 || !strings.Contains(answer, `"field":"`+field+`"`) {
			t.Errorf("%s: %s", field, answer)
		}
	}
	c.want(http.StatusOK, `"message":"m"`, "PATCH", "/api/v1/namespaces/default/events/e", `{"message":"m"}`)
}
