package namespace_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/internal/features/servertest"
)

// TestNothingOutlivesItsNamespace deletes namespaces while many write into them: whatever was
// answered with a 201 has gone with the namespace, and nothing came after.
func TestNothingOutlivesItsNamespace(t *testing.T) {
	c := servertest.Start(t)
	for n := range 5 {
		name := fmt.Sprintf("busy-%d", n)
		c.Want(http.StatusCreated, name, "POST", "/api/v1/namespaces", `{"metadata":{"name":"`+name+`"}}`)
		at := "/api/v1/namespaces/" + name + "/configmaps"
		var writers sync.WaitGroup
		begun := make(chan struct{}, 8)
		for w := range 8 {
			writers.Go(func() {
				for i := 0; ; i++ {
					code, answer := c.Do("POST", at, fmt.Sprintf(`{"metadata":{"name":"w%d-%d"}}`, w, i))
					if i == 0 {
						begun <- struct{}{}
					}
					switch {
					case code == http.StatusCreated:
						continue
					case code == http.StatusForbidden && strings.Contains(answer, "NamespaceTerminating"):
					case code == http.StatusNotFound && strings.Contains(answer, `namespaces \"`+name+`\" not found`):
					default:
						t.Errorf("%d %s", code, answer)
					}
					return
				}
			})
		}
		for range 8 {
			<-begun
		}
		c.Want(http.StatusOK, name, "DELETE", "/api/v1/namespaces/"+name, "")
		writers.Wait()
		c.Until(http.StatusNotFound, name, "/api/v1/namespaces/"+name)
		var left corev1.ConfigMapList
		if err := json.Unmarshal([]byte(c.Want(http.StatusOK, "ConfigMapList", "GET", at, "")), &left); err != nil || len(left.Items) > 0 {
			t.Errorf("%s is gone, and %d objects are left: %v", name, len(left.Items), err)
		}
	}
}

// TestUnguardedNamespacesGo: without the plug-in nobody is kept from writing, and a namespace goes
// anyway.
func TestUnguardedNamespacesGo(t *testing.T) {
	c := servertest.Start(t, func(o *typeplane.Options) { o.Admission.Disable = []string{"NamespaceLifecycle"} })
	c.Want(http.StatusCreated, "busy", "POST", "/api/v1/namespaces", `{"metadata":{"name":"busy"}}`)
	var writers sync.WaitGroup
	begun := make(chan struct{}, 8)
	for w := range 8 {
		writers.Go(func() {
			for i := range 20 {
				if code, answer := c.Do("POST", "/api/v1/namespaces/busy/configmaps", fmt.Sprintf(`{"metadata":{"name":"w%d-%d"}}`, w, i)); code != http.StatusCreated {
					t.Errorf("%d %s", code, answer)
				}
				if i == 0 {
					begun <- struct{}{}
				}
			}
		})
	}
	for range 8 {
		<-begun
	}
	c.Want(http.StatusOK, "busy", "DELETE", "/api/v1/namespaces/busy", "")
	writers.Wait()
	c.Until(http.StatusNotFound, "busy", "/api/v1/namespaces/busy")
}
