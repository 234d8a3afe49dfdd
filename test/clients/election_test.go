package clients

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/util/retry"
)

// TestLeaderElection has three candidates: there is never more than one leader, and when it steps
// down another follows.
func TestLeaderElection(t *testing.T) {
	s := start(t, "cluster")
	clients, err := kubernetes.NewForConfig(s.config)
	must(t, err)
	led := make(chan string)
	var (
		mu      sync.Mutex // guards leaders
		leaders int
		wg      sync.WaitGroup
		resign  = map[string]context.CancelFunc{}
	)
	for i := range 3 {
		name := fmt.Sprintf("candidate-%d", i)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		resign[name] = cancel
		lock, err := resourcelock.New(resourcelock.LeasesResourceLock, "default", "election", clients.CoreV1(), clients.CoordinationV1(), resourcelock.ResourceLockConfig{Identity: name})
		must(t, err)
		elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
			Lock: lock, LeaseDuration: 60 * time.Second, RenewDeadline: 40 * time.Second, RetryPeriod: 20 * time.Millisecond, ReleaseOnCancel: true,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(ctx context.Context) {
					mu.Lock()
					defer mu.Unlock()
					if leaders++; leaders > 1 {
						t.Errorf("%d leaders", leaders)
					}
					led <- name
					leaders--
				},
				OnStoppedLeading: func() {},
			},
		})
		must(t, err)
		wg.Go(func() { elector.Run(ctx) })
	}
	seen := map[string]bool{}
	for range 3 {
		select {
		case name := <-led:
			seen[name] = true
			resign[name]()
		case <-time.After(patience):
			t.Fatalf("nobody leads after %v", seen)
		}
	}
	wg.Wait()
	if len(seen) != 3 {
		t.Errorf("%v led", seen)
	}
}

// TestRetryOnConflict counts in one object from many goroutines, each with what it read: no count
// is lost.
func TestRetryOnConflict(t *testing.T) {
	const writers, rounds = 6, 10
	s, ctx := start(t, "cluster"), t.Context()
	clients, err := kubernetes.NewForConfig(s.config)
	must(t, err)
	namespaces := clients.CoreV1().Namespaces()
	_, err = namespaces.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "counter"}}, metav1.CreateOptions{})
	must(t, err)
	backoff := wait.Backoff{Steps: 1000, Duration: time.Millisecond, Factor: 1, Jitter: 4}
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range rounds {
				err := retry.RetryOnConflict(backoff, func() error {
					current, err := namespaces.Get(ctx, "counter", metav1.GetOptions{})
					if err != nil {
						return err
					}
					n, _ := strconv.Atoi(current.Annotations["count"])
					metav1.SetMetaDataAnnotation(&current.ObjectMeta, "count", strconv.Itoa(n+1))
					_, err = namespaces.Update(ctx, current, metav1.UpdateOptions{})
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	last, err := namespaces.Get(ctx, "counter", metav1.GetOptions{})
	must(t, err)
	if got := last.Annotations["count"]; got != strconv.Itoa(writers*rounds) {
		t.Errorf("it counts %s, want %d", got, writers*rounds)
	}
}
