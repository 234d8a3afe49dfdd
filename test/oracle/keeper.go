package main

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// keeper makes the namespaces of books with their quotas, and deletes one of them now and then,
// with all that is in it.
type keeper struct{ driver }

const (
	spaces      = "/api/v1/namespaces"
	quotaName   = "books"
	countBooks  = corev1.ResourceName("count/books.library.example.com")
	roomFor     = 6 // what a quota allows, of namesPerNamespace
	keeperPause = 20 * time.Millisecond
)

// doomed is the namespace that is deleted. The others stay.
func doomed() string { return namespaces[len(namespaces)-1] }

// run deletes until ctx ends.
func (k *keeper) run(ctx context.Context) {
	for pause(ctx, time.Duration(1000+k.random.IntN(3000))*time.Millisecond) {
		k.entrance().do(ctx, request{method: http.MethodDelete, path: spaces + "/" + doomed()})
		k.open(ctx, doomed(), roomFor)
	}
}

// openAll makes all namespaces, with room for some books in each.
func (k *keeper) openAll(ctx context.Context, room int) error {
	for _, namespace := range namespaces {
		if err := k.open(ctx, namespace, room); err != nil {
			return err
		}
	}
	return nil
}

// open makes a namespace, if it is not there, and its quota. It waits until one that is being
// deleted is gone.
func (k *keeper) open(ctx context.Context, namespace string, room int) error {
	quotas := spaces + "/" + namespace + "/resourcequotas"
	quota := corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: quotaName}, Spec: corev1.ResourceQuotaSpec{
		Hard: corev1.ResourceList{countBooks: *resource.NewQuantity(int64(room), resource.DecimalSI)}}}
	limits := request{method: http.MethodPatch, path: quotas + "/" + quotaName, contentType: string(mergeType), body: mustJSON(map[string]any{"spec": quota.Spec})}
	for {
		k.entrance().post(ctx, spaces, corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}})
		made := k.entrance().post(ctx, quotas, quota)
		if made.code == http.StatusCreated || made.code == http.StatusConflict {
			if a := k.entrance().do(ctx, limits); a.outcome == OK {
				return nil
			}
		}
		if made.code == http.StatusForbidden {
			k.free(namespace)
		}
		if !pause(ctx, keeperPause) {
			return fmt.Errorf("namespace %s has no quota: %d %s: %w", namespace, made.code, made.message, ctx.Err())
		}
	}
}

// free takes the finalizers off the books of a namespace that is being deleted.
func (k *keeper) free(namespace string) {
	for i := range namesPerNamespace {
		key := namespace + "/book-" + strconv.Itoa(i)
		if seen, ok := k.board.get(key); ok && seen.item.Finalizers != "" {
			k.change(k.entrance(), Op{Verb: Patch, Version: k.version(), Key: key, Sent: Content{Token: k.token()}, Manager: k.manager(), Finalize: "="}, mergeType)
		}
	}
}
