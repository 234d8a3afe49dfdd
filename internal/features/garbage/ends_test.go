package garbage_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/apitest"
	"github.com/typeplane/typeplane/features"
	"github.com/typeplane/typeplane/internal/features/servertest"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
)

// startWidgets runs a server of widgets that say in their options when they end, and how much grace
// they want.
func startWidgets(t *testing.T, options ...apitest.Option) world {
	t.Helper()
	ending := registry.Deletion[*widget.Widget]{
		Expires: func(w *widget.Widget) *metav1.Time {
			at, err := time.Parse(time.RFC3339Nano, w.Spec.Options["until"])
			if err != nil {
				return nil
			}
			return &metav1.Time{Time: at}
		},
		CheckGracefulDelete: func(_ context.Context, w *widget.Widget, opts *metav1.DeleteOptions) bool {
			seconds, err := strconv.ParseInt(w.Spec.Options["grace"], 10, 64)
			if opts.GracePeriodSeconds == nil {
				opts.GracePeriodSeconds = &seconds
			}
			return err == nil
		},
	}
	program := typeplane.Server{Name: "widgets", AddToScheme: widget.AddToScheme, APIs: features.All(), Resources: []registry.Resource{
		registry.Define(registry.Definition[*widget.Widget]{
			GroupKind: widget.GroupKind, Plural: "widgets", Namespaced: true, StorageVersion: widget.GV1,
			Versions: []schema.GroupVersion{widget.GV1beta1, widget.GV1}, Strategy: registry.Strategy[*widget.Widget]{Deletion: ending},
		})}}
	w := world{t, servertest.Of(t, apitest.Start(t, program, options...))}
	w.namespaces()
	return w
}

const widgetsA = "/apis/shop.example.com/v1/namespaces/a/widgets"

func (w world) widget(name, options string, owners string) {
	w.Helper()
	w.Want(201, "", "POST", widgetsA, fmt.Sprintf(`{"metadata":{"name":%q,"ownerReferences":[%s]},"spec":{"options":{%s}}}`, name, owners, options))
}

func until(d time.Duration) string {
	return `"until":"` + time.Now().Add(d).Format(time.RFC3339Nano) + `"`
}

// An object ends when its time is over: as it was first, as somebody has changed it, or at once.
// That does not depend on who collects what has owners.
func TestEnds(t *testing.T) {
	for _, who := range []string{typeplane.CollectInServer, typeplane.CollectBeside, typeplane.CollectNever} {
		t.Run(who, func(t *testing.T) {
			w := startWidgets(t, func(o *typeplane.Options) { o.Store.GarbageCollector = who })
			atFirst := w.prolonged("longer")
			w.widget("past", until(-time.Hour), "")
			w.widget("soon", until(300*time.Millisecond), "")
			w.widget("late", until(time.Hour), "")
			w.widget("never", "", "")
			w.widget("sooner", until(time.Hour), "")
			w.Want(200, "", "PATCH", widgetsA+"/sooner", `{"spec":{"options":{`+until(100*time.Millisecond)+`}}}`)
			w.gone(widgetsA+"/past", widgetsA+"/sooner", widgetsA+"/soon")
			time.Sleep(time.Until(atFirst) + 100*time.Millisecond) // when longer was to end
			list := w.Want(200, "", "GET", widgetsA, "")
			for _, name := range []string{"late", "never", "longer"} {
				if !strings.Contains(list, `"name":"`+name+`"`) {
					t.Errorf("%s has ended", name)
				}
			}
		})
	}
}

// prolonged makes a widget that ends in an hour and was to end soon, and says when that was. One
// that has ended before it could be changed is followed by one with more time.
func (w world) prolonged(name string) (atFirst time.Time) {
	w.Helper()
	for life := 200 * time.Millisecond; ; life *= 2 {
		atFirst = time.Now().Add(life)
		w.widget(name, until(life), "")
		code, answer := w.Do("PATCH", widgetsA+"/"+name, `{"spec":{"options":{`+until(time.Hour)+`}}}`)
		switch {
		case code == 200:
			return atFirst
		case code != 404 || time.Now().Before(atFirst):
			w.Fatalf("prolong %s: %d %s", name, code, answer)
		}
	}
}

// What an object that has ended owned goes after it.
func TestEndsWithDependents(t *testing.T) {
	w := startWidgets(t)
	w.widget("owner", until(time.Hour), "")
	owner := w.Want(200, "", "GET", widgetsA+"/owner", "")
	_, rest, _ := strings.Cut(owner, `"uid":"`)
	id, _, _ := strings.Cut(rest, `"`)
	w.widget("child", "", `{"apiVersion":"shop.example.com/v1beta1","kind":"Widget","name":"owner","uid":"`+id+`"}`)
	w.stay(widgetsA + "/child")
	w.Want(200, "", "PATCH", widgetsA+"/owner", `{"spec":{"options":{`+until(0)+`}}}`)
	w.gone(widgetsA+"/owner", widgetsA+"/child")
}

// Whoever looks after an object may let its time of grace pass: then the server removes it, unless
// a finalizer keeps it.
func TestGraceThatIsOver(t *testing.T) {
	w := startWidgets(t)
	w.widget("short", `"grace":"1"`, "")
	w.widget("shortened", `"grace":"3600"`, "")
	w.widget("long", `"grace":"3600"`, "")
	w.widget("kept", `"grace":"1"`, "")
	w.Want(200, "", "PATCH", widgetsA+"/kept", `{"metadata":{"finalizers":["example.com/kept"]}}`)
	for _, name := range []string{"short", "shortened", "long", "kept"} {
		w.Want(200, `"deletionGracePeriodSeconds"`, "DELETE", widgetsA+"/"+name, "")
	}
	w.Want(200, `"deletionGracePeriodSeconds":1`, "DELETE", widgetsA+"/shortened?gracePeriodSeconds=1", "")
	w.gone(widgetsA+"/short", widgetsA+"/shortened")
	w.stay(widgetsA+"/long", widgetsA+"/kept")
	w.Want(200, "", "PATCH", widgetsA+"/kept", `{"metadata":{"finalizers":[]}}`)
	w.gone(widgetsA + "/kept")
}

// Kinds of the program and of the features own each other, named in any version: a kind is known by
// its group and name.
func TestMixedKinds(t *testing.T) {
	for _, version := range []string{"v1", "v1beta1", "v9"} {
		w := startWidgets(t)
		id := func(path string) string {
			_, rest, _ := strings.Cut(w.Want(200, "", "GET", path, ""), `"uid":"`)
			id, _, _ := strings.Cut(rest, `"`)
			return id
		}
		w.widget("top", "", "")
		top := metav1.OwnerReference{APIVersion: "shop.example.com/" + version, Kind: "Widget", Name: "top", UID: types.UID(id(widgetsA + "/top"))}
		w.make(mapsA, "middle", blocking(top))
		w.widget("bottom", "", `{"apiVersion":"v1","kind":"ConfigMap","name":"middle","blockOwnerDeletion":true,"uid":"`+id(mapsA+"/middle")+`"}`)
		w.stay(mapsA+"/middle", widgetsA+"/bottom")
		w.delete(widgetsA+"/top", "Foreground")
		w.gone(widgetsA + "/top")
		w.Want(404, "", "GET", mapsA+"/middle", "") // it went first
		w.gone(widgetsA + "/bottom")
	}
}
