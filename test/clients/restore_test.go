package clients

import (
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	clientfeatures "k8s.io/client-go/features"
	featurestesting "k8s.io/client-go/features/testing"

	"github.com/typeplane/typeplane/internal/drill"
)

// TestRestore puts a backup in place of a database that informers have followed further. None of
// them sees an object go back in time, and all end where the store is; what was written since the
// backup is gone, and cannot be built upon.
func TestRestore(t *testing.T) {
	for _, streaming := range []bool{true, false} {
		t.Run(fmt.Sprintf("streaming=%v", streaming), func(t *testing.T) {
			featurestesting.SetFeatureDuringTest(t, clientfeatures.WatchListClient, streaming)
			restoreUnder(t, start(t, "library"))
		})
	}
}

func restoreUnder(t *testing.T, s *server) {
	ctx := t.Context()
	client, err := dynamic.NewForConfig(s.config)
	must(t, err)
	served := client.Resource(books).Namespace("default")
	create := func(name string) {
		t.Helper()
		_, err := served.Create(ctx, book(name), metav1.CreateOptions{})
		must(t, err)
	}
	stored := func() map[string]string {
		t.Helper()
		list, err := served.List(ctx, metav1.ListOptions{})
		must(t, err)
		all := map[string]string{}
		for _, b := range list.Items {
			all[b.GetName()] = b.GetResourceVersion()
		}
		return all
	}
	follower := newFollower(t, served)
	go follower.reflector.RunWithContext(ctx)
	converged := func(what string) {
		t.Helper()
		want := stored()
		eventually(t, what, func() bool { return maps.Equal(revisions(follower.store.List()), want) })
	}

	for i := range 20 {
		create(fmt.Sprintf("kept-%d", i))
	}
	backup := filepath.Join(t.TempDir(), "backup")
	s.command(t, "backup", backup)
	create("later")
	changed, err := served.Patch(ctx, "kept-3", types.MergePatchType, []byte(`{"metadata":{"labels":{"later":"yes"}}}`), metav1.PatchOptions{})
	must(t, err)
	must(t, served.Delete(ctx, "kept-4", metav1.DeleteOptions{}))
	converged("the informer is where the store is, before the restore")
	s.Kill()
	s.command(t, "restore", backup, "--replace")
	must(t, s.start(ctx))
	started := time.Now()
	converged("the informer is where the store is, after the restore")
	drill.Restore.Count("restores", 1)
	drill.Restore.Worst("informers are right", time.Since(started))
	if now := stored(); len(now) != 20 || now["later"] != "" || now["kept-4"] == "" {
		t.Errorf("restored: %v", now)
	}
	if _, err := served.Update(ctx, changed, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("an update of what is gone: %v", err)
	}
	create("after")
	converged("the informer follows the restored database")
}

// command runs a command of the program on the server's data directory.
func (s *server) command(t *testing.T, args ...string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), filepath.Join(programs, s.program), append(args, "--data-dir", s.dataDir)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", s.program, args, err, out)
	}
}
