package quota_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/memory"
)

// TestCrowd has many writers on two servers make and remove objects, while quotas come, change and
// go. Every revision of the database is then looked at: the objects that there are, and what each
// quota says.
func TestCrowd(t *testing.T) {
	const writers, attempts, limit = 64, 1500, 150
	db := memory.NewDatabase()
	servers := []*server{inMemory(db).start(t), inMemory(db).start(t)}
	servers[0].mustCreate("resourcequotas", quotaOf("limit", map[corev1.ResourceName]string{"configmaps": fmt.Sprint(limit)}))

	var left atomic.Int64
	left.Store(attempts)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			s, mine := servers[w%len(servers)], []string{}
			for left.Add(-1) >= 0 {
				if len(mine) > 0 && rand.N(4) == 0 {
					if err := s.delete("configmaps", mine[0]); err != nil {
						t.Errorf("delete %s: %v", mine[0], err)
					}
					mine = mine[1:]
					continue
				}
				name := fmt.Sprintf("w%d-%d", w, left.Load())
				switch err := s.create("configmaps", configMap(name)); {
				case err == nil:
					mine = append(mine, name)
				case !apierrors.IsForbidden(err) && !apierrors.IsAlreadyExists(err):
					t.Errorf("create %s: %v", name, err)
				}
			}
		})
	}
	for i, s := range slices.Repeat(servers, 5) {
		s.mustCreate("resourcequotas", quotaOf("other", map[corev1.ResourceName]string{"count/configmaps": "100000"}))
		if i%2 == 0 {
			q := s.quota("other")
			q.ResourceVersion = "" // it is charged all the time
			q.Spec.Hard["count/secrets"] = q.Spec.Hard["count/configmaps"]
			s.mustUpdate("resourcequotas", q)
		}
		s.mustDelete("resourcequotas", "other")
	}
	wg.Wait()

	// Whoever goes on gets exactly as far as the limit.
	for i := 0; ; i++ {
		err := servers[i%2].create("configmaps", configMap(fmt.Sprint("last-", i)))
		if apierrors.IsForbidden(err) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	servers[0].wantUsed("limit", fmt.Sprint("configmaps=", limit))
	wantExact(t, servers[0], db, "configmaps", limit)
}

// wantExact walks through all revisions of the database: at each of them there are as many objects
// as every quota says, and no more than the limit.
func wantExact(t *testing.T, s *server, db *memory.Database, plural string, limit int) {
	t.Helper()
	raw := memory.New(memory.Config{Database: db, Root: "/registry"})
	w, err := raw.Watch(context.Background(), "/", storage.WatchOptions{After: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	objects, quotas := 0, map[string]*corev1.ResourceQuota{}
	for last, now := int64(0), db.Revision(); last < now; {
		events, err := w.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for i, ev := range events {
			last = ev.Entry.Revision
			switch {
			case strings.HasPrefix(ev.Entry.Key, "/"+plural+"/"):
				objects += map[storage.EventType]int{storage.Created: 1, storage.Deleted: -1}[ev.Type]
			case strings.HasPrefix(ev.Entry.Key, "/resourcequotas/") && ev.Type == storage.Deleted:
				delete(quotas, ev.Entry.Key)
			case strings.HasPrefix(ev.Entry.Key, "/resourcequotas/"):
				obj, err := s.objects["resourcequotas"].Decode(ev.Entry)
				if err != nil {
					t.Fatal(err)
				}
				quotas[ev.Entry.Key] = obj.(*corev1.ResourceQuota)
			}
			if i+1 < len(events) && events[i+1].Entry.Revision == last {
				continue // the rest of the transaction
			}
			if objects > limit {
				t.Fatalf("revision %d: %d objects, %d are allowed", last, objects, limit)
			}
			for key, q := range quotas {
				for name, used := range q.Status.Used {
					if strings.HasSuffix(string(name), plural) && used.Value() != int64(objects) {
						t.Fatalf("revision %d: %s says %s=%s, there are %d", last, key, name, used.String(), objects)
					}
				}
			}
		}
	}
	if objects != limit {
		t.Fatalf("%d objects in the end, want %d", objects, limit)
	}
}
