package rbac

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestBootstrapper: a server is not ready until its roles could be made, however often that fails
// before, and until its authorizer has them.
func TestBootstrapper(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		policy := Policy{
			ClusterRoles:        []rbacv1.ClusterRole{{ObjectMeta: metav1.ObjectMeta{Name: "basic"}}},
			ClusterRoleBindings: []rbacv1.ClusterRoleBinding{{ObjectMeta: metav1.ObjectMeta{Name: "everybody"}}},
		}
		b := &bootstrapper{authorizer: new(Authorizer), log: slog.New(slog.NewTextHandler(t.Output(), nil))}
		tries := 0
		go b.run(t.Context(), policy, func(context.Context) error {
			if tries++; tries < 3 {
				return errors.New("etcd does not answer")
			}
			return nil
		})
		b.authorizer.now.Store(NewSnapshot(Objects{ClusterRoles: []*rbacv1.ClusterRole{&policy.ClusterRoles[0]}}))
		time.Sleep(2*retryBootstrap + lookAgain)
		if err := b.Ready(t.Context()); tries != 3 || err == nil {
			t.Errorf("after %d tries, without the binding: %v", tries, err)
		}
		b.authorizer.now.Store(NewSnapshot(Objects{
			ClusterRoles:        []*rbacv1.ClusterRole{&policy.ClusterRoles[0]},
			ClusterRoleBindings: []*rbacv1.ClusterRoleBinding{&policy.ClusterRoleBindings[0]},
		}))
		time.Sleep(lookAgain)
		synctest.Wait()
		if err := b.Ready(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
