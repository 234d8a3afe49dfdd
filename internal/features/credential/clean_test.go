package credential

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/apitest"
	"github.com/typeplane/typeplane/internal/features/credential/v1alpha1"
	"github.com/typeplane/typeplane/internal/follow"
	"github.com/typeplane/typeplane/registry/rest"
)

// TestClean removes the records of what has ended, also of what was revoked and deleted, and no
// others. What is to be done before that has ended is done in time, or the next one ends later.
func TestClean(t *testing.T) {
	for life := 2 * time.Second; !cleans(t, life); life *= 2 {
	}
}

func cleans(t *testing.T, life time.Duration) bool {
	t.Helper()
	var records *rest.Resource
	api := newAPI()
	api.Extend = func(_ context.Context, h *typeplane.Host) error {
		own := *h.Resource(Records, "")
		records = &own
		return nil
	}
	apitest.Start(t, typeplane.Server{Name: "plane", APIs: []typeplane.API{api}})
	now := time.Now()
	end := now.Add(life).Truncate(time.Second) // records have whole seconds
	for name, until := range map[string]time.Time{"ended": now.Add(-time.Minute), "good": now.Add(time.Hour), "deleted": end} {
		record := &v1alpha1.Credential{Spec: v1alpha1.CredentialSpec{ID: name, Username: "ann", NotAfter: metav1.NewTime(until)}}
		record.Name = name
		if _, err := records.Create.Create(t.Context(), new(rest.Request), rest.Name{Name: name}, record, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := records.Delete.Delete(t.Context(), new(rest.Request), rest.Name{Name: "deleted"}, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	got := left(t, records, now)
	if !time.Now().Before(end) {
		return false
	}
	if !slices.Equal(got, []string{"deleted", "good"}) {
		t.Errorf("before what was deleted has ended: %v", got)
	}
	time.Sleep(time.Until(end) + time.Millisecond)
	if got := left(t, records, time.Now()); !slices.Equal(got, []string{"good"}) {
		t.Errorf("after that: %v", got)
	}
	return true
}

// left are the names of the records that are there after a look at a time.
func left(t *testing.T, records *rest.Resource, at time.Time) (names []string) {
	t.Helper()
	if err := cleanOnce(t.Context(), records, slog.New(slog.DiscardHandler), at); err != nil {
		t.Fatal(err)
	}
	all, _, err := follow.List[v1alpha1.Credential](t.Context(), records, "")
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		names = append(names, all[i].Name)
	}
	return names
}
