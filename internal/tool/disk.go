package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/console"
	"github.com/typeplane/typeplane/internal/database"
	"github.com/typeplane/typeplane/internal/dissect"
	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/storage/embedded"
	"github.com/typeplane/typeplane/storage/etcd3"
)

// disk shows what etcd holds of an object, as inspect does, to the page of the console.
type disk struct {
	program program.Server
	store   *program.StoreOptions
	kinds   *database.Kinds
	c       Console
}

// bytesOf is what the page gets.
type bytesOf struct {
	Stored described       `json:"stored"`
	Object json.RawMessage `json:"object,omitempty"`
	// Bytes are those of etcd, Value what was encrypted in them. Both are base64 in JSON.
	Bytes []byte `json:"bytes"`
	Value []byte `json:"value,omitempty"`
	// Parts are the fields in Value, or in Bytes if these are not encrypted.
	Parts []dissect.Field `json:"parts,omitempty"`
}

// ServeHTTP answers GET /GROUP/RESOURCE/NAMESPACE/NAME, with "core" and "-" for what is empty.
func (d *disk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	shown, err := d.read(r.Context(), schema.GroupResource{Group: unless(r.PathValue("group"), "core"), Resource: r.PathValue("resource")},
		unless(r.PathValue("namespace"), "-"), r.PathValue("name"))
	if err != nil {
		console.Refuse(w, http.StatusNotFound, err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(shown)
}

func unless(s, empty string) string {
	if s == empty {
		return ""
	}
	return s
}

// read attaches to the database for one read: the console then never holds one that a server wants.
func (d *disk) read(ctx context.Context, resource schema.GroupResource, namespace, name string) (shown bytesOf, err error) {
	if err := needsEtcd(d.program, "console"); err != nil {
		return shown, err
	}
	i := slices.IndexFunc(d.kinds.Resources, func(r registry.Resource) bool { return r.GroupResource() == resource })
	if i < 0 {
		return shown, fmt.Errorf("this program does not keep %s: another server does, or they are made for each request", resource)
	}
	if len(d.store.EtcdServers) == 0 {
		if _, running, err := embedded.FindSocket(ctx, d.store.DataDir); err != nil || !running {
			return shown, errors.Join(fmt.Errorf("no server with an etcd of its own runs on %s: name the cluster with --etcd-servers", d.store.DataDir), err)
		}
	}
	key := d.store.EtcdPrefix + d.kinds.Resources[i].KeyPrefix()
	if namespace != "" {
		key += namespace + "/"
	}
	return shown, inDatabases(ctx, d.program, d.kinds, d.store, d.c, func(dbs *database.Databases) error {
		kv, ok, err := etcd3.GetRaw(ctx, dbs.Of(resource).Client, key+name)
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("etcd holds nothing at %s", key+name)
		}
		shown, err = d.dissect(describe(d.kinds, d.store.EtcdPrefix, kv))
		return err
	})
}

// dissect names the fields in a value.
func (d *disk) dissect(of described) (bytesOf, error) {
	shown := bytesOf{Stored: of, Object: of.object, Bytes: of.stored}
	if of.Encryption != nil && of.object != nil {
		shown.Value = of.value
	}
	var err error
	shown.Parts, err = dissect.Fields(d.kinds.Scheme, of.value)
	return shown, err
}
