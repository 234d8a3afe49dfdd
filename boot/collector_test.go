package boot

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestGarbageCollectorFlag: a server that knows of a collector leaves the dependents of an object to it.
func TestGarbageCollectorFlag(t *testing.T) {
	for _, on := range []bool{true, false} {
		i, client := running(t, func(o *Options) { o.Store.GarbageCollector = on })
		post(t, client, i.URL()+widgetsPath, aWidget)
		req, err := http.NewRequest(http.MethodDelete, i.URL()+widgetsPath+"/w?propagationPolicy=Foreground", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s %v", resp.Status, body, err)
		}
		if kept := strings.Contains(string(body), `"finalizers":["foregroundDeletion"]`); kept != on {
			t.Errorf("with a collector %v: %s", on, body)
		}
	}
}
