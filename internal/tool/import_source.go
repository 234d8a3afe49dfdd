package tool

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"regexp"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane/internal/delegated"
	"github.com/typeplane/typeplane/registry"
)

// source is where objects are imported from. It can be read several times.
type source interface {
	each(ctx context.Context, take func(sourceObject) error) error
	close()
}

// sourceObject is an object there, and what has to be known of it first.
type sourceObject struct {
	kind            schema.GroupVersionKind
	namespace, name string
	uid             types.UID
	owners          []types.UID
	text            []byte // JSON
}

// openSource opens what a file leads to, or has in it.
func openSource(file string, importers []registry.Importer, in io.Reader) (source, error) {
	if file == "-" {
		data, err := io.ReadAll(in)
		return fileSource(data), err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var head struct{ Kind string }
	if yaml.Unmarshal(data, &head) != nil || head.Kind != "Config" {
		return fileSource(data), nil
	}
	config, err := delegated.ReadKubeconfig(file)
	if err != nil {
		return nil, err
	}
	client, err := delegated.NewClient(config)
	if err != nil {
		return nil, err
	}
	return &serverSource{client: client, importers: importers, paths: map[schema.GroupKind]string{}}, nil
}

// fileSource are documents of YAML or JSON: objects, or lists of them.
type fileSource []byte

func (fileSource) close() {}

func (f fileSource) each(ctx context.Context, take func(sourceObject) error) error {
	for n, document := range betweenDocuments.Split(string(f), -1) {
		text, err := yaml.YAMLToJSON([]byte(document))
		if err == nil && !bytes.Equal(text, []byte("null")) {
			err = eachIn(ctx, text, "", "", take)
		}
		if err != nil {
			return fmt.Errorf("document %d: %w", n+1, err)
		}
	}
	return nil
}

// betweenDocuments stands between documents of YAML.
var betweenDocuments = regexp.MustCompile(`(?m)^---(\s|$)`)

// eachIn takes an object, or the items of a list. Those of a server's lists do not say what they
// are: apiVersion and kind do.
func eachIn(ctx context.Context, text []byte, apiVersion, kind string, take func(sourceObject) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var head struct {
		metav1.TypeMeta
		Metadata struct {
			Namespace, Name string
			UID             types.UID
			OwnerReferences []struct{ UID types.UID }
		}
		Items *[]json.RawMessage
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return err
	}
	if head.Items != nil {
		for _, item := range *head.Items {
			if err := eachIn(ctx, item, apiVersion, kind, take); err != nil {
				return err
			}
		}
		return nil
	}
	o := sourceObject{
		kind:      schema.FromAPIVersionAndKind(cmp.Or(head.APIVersion, apiVersion), cmp.Or(head.Kind, kind)),
		namespace: head.Metadata.Namespace, name: head.Metadata.Name, uid: head.Metadata.UID, text: text,
	}
	if o.kind.Kind == "" || o.name == "" {
		return fmt.Errorf("%.80q is no object: it has no kind or no name", text)
	}
	if o.uid == "" { // something that is always the same takes its place
		o.uid = types.UID(fmt.Sprintf("%s %s/%s", o.kind.GroupKind(), o.namespace, o.name))
	}
	for _, owner := range head.Metadata.OwnerReferences {
		o.owners = append(o.owners, owner.UID)
	}
	return take(o)
}

// serverSource is another server. All its objects of the kinds that importers take are read, in one
// version: the one in which they are stored here, or else the first that is served there.
type serverSource struct {
	client    *delegated.Client
	importers []registry.Importer
	paths     map[schema.GroupKind]string // where the objects of a kind were read
}

func (s *serverSource) close() { s.client.Close() }

// How much is read at once.
const (
	pageOfObjects = 100
	pageOfBytes   = 512 << 20
)

func (s *serverSource) each(ctx context.Context, take func(sourceObject) error) error {
	for _, stored := range []bool{true, false} {
		for _, importer := range s.importers {
			if importer.Stored != stored {
				continue
			}
			if err := s.eachOf(ctx, importer, take); err != nil {
				return fmt.Errorf("list %s of %s: %w", importer.Resource, importer.Kind.GroupVersion(), err)
			}
		}
	}
	return nil
}

// eachOf takes the objects of a kind, unless they were read in another version.
func (s *serverSource) eachOf(ctx context.Context, importer registry.Importer, take func(sourceObject) error) error {
	kind := importer.Kind
	path := fmt.Sprintf("/apis/%s/%s/%s", kind.Group, kind.Version, importer.Resource)
	if kind.Group == "" {
		path = fmt.Sprintf("/api/%s/%s", kind.Version, importer.Resource)
	}
	if known, ok := s.paths[kind.GroupKind()]; ok && known != path {
		return nil
	}
	err := s.list(ctx, path, kind, take)
	if delegated.NotFound(err) {
		return nil
	}
	if err == nil {
		s.paths[kind.GroupKind()] = path
	}
	return err
}

// list reads a collection page by page.
func (s *serverSource) list(ctx context.Context, path string, kind schema.GroupVersionKind, take func(sourceObject) error) error {
	query := url.Values{"limit": {strconv.Itoa(pageOfObjects)}}
	apiVersion, name := kind.ToAPIVersionAndKind()
	for {
		text, err := s.client.Get(ctx, path, query, pageOfBytes)
		if err != nil {
			return err
		}
		if err := eachIn(ctx, text, apiVersion, name, take); err != nil {
			return err
		}
		var page struct{ Metadata metav1.ListMeta }
		if err := json.Unmarshal(text, &page); err != nil || page.Metadata.Continue == "" {
			return err
		}
		query.Set("continue", page.Metadata.Continue)
	}
}
