package apimachinery

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestTimes compares days of all years, each with another time of day, with what the package time
// says.
func TestTimes(t *testing.T) {
	for seconds := int64(-86400); seconds <= maxFast+86400; seconds += 86399 * 11 {
		in := metav1.Unix(seconds, 999)
		got, err := AppendJSON_Time(nil, &in)
		if want := `"` + time.Unix(seconds, 0).UTC().Format(time.RFC3339) + `"`; err != nil || string(got) != want {
			t.Fatalf("%d seconds: %s, want %s", seconds, got, want)
		}
	}
	if got, _ := AppendJSON_Time(nil, &metav1.Time{}); string(got) != "null" {
		t.Errorf("no time: %s", got)
	}
}
