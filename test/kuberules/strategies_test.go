package kuberules

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/registry/certificates/certificates"
	"k8s.io/kubernetes/pkg/registry/core/pod"

	"github.com/typeplane/typeplane/test/kuberules/documents"
)

// parts are the subresources besides the status that write a part of an object, by kind.
var parts = map[string]map[string]rest.RESTUpdateStrategy{
	"Pod":                       {"resize": pod.ResizeStrategy, "ephemeralcontainers": pod.EphemeralContainersStrategy},
	"CertificateSigningRequest": {"approval": certificates.ApprovalStrategy},
}

// TestStrategies changes each field of each kind in turn. Where a kube-apiserver and our server
// both accept the change, it compares what they have filled in, put back, counted and taken out,
// and what they warn of. Of parts like resize it compares what they refuse, too.
func TestStrategies(t *testing.T) {
	reasons := documents.Known(strategyDifferences)
	t.Run("cluster", func(t *testing.T) { compareWrites(t, clusterProgram, kinds, reasons) })
	t.Run("kubernetes", func(t *testing.T) {
		compareWrites(t, kubernetesProgram, slices.Concat(kinds, kindsOfKubernetes, policyKinds), reasons)
	})
	if *only == "" {
		reasons.Needed(t)
	}
}

func compareWrites(t *testing.T, p program, kinds []kind, reasons *documents.Reasons) {
	compareOn(t, start(t, p), kinds, nil, reasons)
}

// compareOn compares writes with the plug-ins of a kube-apiserver, nil for none.
func compareOn(t *testing.T, s *server, kinds []kind, plugins admission.Interface, reasons *documents.Reasons) {
	s.must("POST", "/api/v1/namespaces", map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": inNamespace}})
	who, compared, refusals := s.whoAmI(), 0, 0
	for _, k := range kinds {
		if *only != "" && *only != k.resource {
			continue
		}
		pattern := strings.TrimPrefix(k.Group+"_", "_") + k.Version + "_" + k.resource + "*.yaml"
		files, err := filepath.Glob(filepath.Join("testdata", pattern))
		if err != nil || len(files) == 0 {
			t.Errorf("%s of %s has no object in testdata", k.Kind, k.GroupVersion())
		}
		if plugins == nil { // which don't know the classes of odd objects, of which servers warn
			files = append(files, must(filepath.Glob(filepath.Join("testdata", "odd", pattern)))...)
		}
		c := writes{server: s, kind: k, user: who, plugins: plugins, Comparison: documents.Comparison{Kind: k.Kind}}
		for _, file := range files {
			c.run(read(t, file))
		}
		c.Report(t, reasons)
		compared, refusals = compared+c.Compared, refusals+c.refusals
	}
	t.Logf("%d answers were compared, and %d refusals", compared, refusals)
}

// whoAmI is the user that the server takes its client for.
func (s *server) whoAmI() user.Info {
	s.t.Helper()
	answer := s.must("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", map[string]any{"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"})
	var review authenticationv1.SelfSubjectReview
	if err := json.Unmarshal(must(json.Marshal(answer)), &review); err != nil {
		s.t.Fatal(err)
	}
	is := review.Status.UserInfo
	who := &user.DefaultInfo{Name: is.Username, UID: is.UID, Groups: is.Groups, Extra: map[string][]string{}}
	for key, values := range is.Extra {
		who.Extra[key] = values
	}
	return who
}

// writes compares the answers to writes of one kind.
type writes struct {
	*server
	kind
	user    user.Info
	plugins admission.Interface
	documents.Comparison
	refusals int // that were compared
}

// run changes every field of an object, in a create, an update and a write of each part.
func (c *writes) run(doc map[string]any) {
	c.t.Helper()
	stored := c.must("POST", c.path(""), doc)
	name := stored["metadata"].(map[string]any)["name"].(string)
	if status, ok := doc["status"]; ok && c.status != nil {
		stored["status"] = status
		stored = c.must("PUT", c.path(name, "status"), stored)
	}
	typ := reflect.TypeOf(must(scheme.Scheme.New(c.GroupVersionKind)))
	for _, field := range append(topFields(typ), "metadata") {
		for _, m := range c.mutations(doc, typ, field) {
			c.create(m)
		}
		for _, m := range c.mutations(stored, typ, field) {
			c.update(m, stored, c.strategy, c.path(name))
			if c.status != nil {
				c.update(m, stored, c.status, c.path(name, "status"), "status")
			}
			for _, part := range slices.Sorted(maps.Keys(parts[c.Kind])) {
				c.update(m, stored, parts[c.Kind][part], c.path(name, part), part)
			}
		}
	}
	c.must("DELETE", c.path(name), map[string]any{"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0})
}

// mutations are those of fields that both servers know.
func (c *writes) mutations(doc map[string]any, typ reflect.Type, field string) []mutation {
	return slices.DeleteFunc(mutations(doc, typ, field), func(m mutation) bool { return off.MatchString(c.Kind + " " + m.path) })
}

// create compares both answers to a create, if both accept it.
func (c *writes) create(m mutation) {
	c.t.Helper()
	sent := m.make()
	meta, ok := sent["metadata"].(map[string]any)
	if !ok {
		return
	}
	meta = maps.Clone(meta)
	meta["name"] = another(c.Kind, meta["name"])
	sent["metadata"] = meta
	obj, err := decode(c.kind, sent)
	if err != nil {
		return
	}
	ctx, said := c.as(false, "")
	judge, err := c.admit(ctx, obj, nil, meta["name"].(string), "")
	if err != nil || create(ctx, c.kind, obj) != nil || judge() != nil {
		return
	}
	c.compare(obj, said, "POST", c.path(""), sent, "create "+m.path+" "+m.what)
}

// another is a name like that of the object that is there.
func another(kind string, name any) string {
	if kind == "IPAddress" {
		return fmt.Sprint(name) + "9"
	}
	return fmt.Sprint(name) + "-2"
}

// update compares both answers to a write of an object, or of a part of it, if both accept it.
func (c *writes) update(m mutation, stored map[string]any, strategy rest.RESTUpdateStrategy, path string, part ...string) {
	c.t.Helper()
	sent, subresource := m.make(), strings.Join(part, "")
	obj, err := decode(c.kind, sent)
	if err != nil {
		return
	}
	old, err := decode(c.kind, stored)
	if err != nil {
		c.t.Fatal(err)
	}
	ctx, said := c.as(true, subresource)
	judge, err := c.admit(ctx, obj, old, path[strings.LastIndexByte(path, '/')+1:], subresource)
	if err != nil {
		return
	}
	of := strings.Join(append(part, "update", m.path, m.what), " ")
	refused := rest.BeforeUpdate(strategy, ctx, obj, old)
	if refused != nil || judge() != nil {
		if refused != nil && c.judgesPart(m, subresource) {
			c.compareRefusal(refused, c.strategy.Validate(ctx, obj), path, sent, of)
		}
		return
	}
	if ours := c.compare(obj, said, "PUT", path, sent, of); ours != nil && c.judgesPart(m, subresource) {
		c.t.Errorf("%s: a kube-apiserver accepts it, and ours says %s", of, ours.Message)
	}
}

// judgesPart says whether refusals of a change are compared: those of the spec, where a part of a
// pod is written.
func (c *writes) judgesPart(m mutation, subresource string) bool {
	return c.Kind == "Pod" && parts[c.Kind][subresource] != nil && c.plugins == nil && strings.HasPrefix(m.path, "spec")
}

// onlyOfNew is wrong with a new pod alone.
const onlyOfNew = "spec.ephemeralContainers: FieldValueForbidden"

// compareRefusal compares what a kube-apiserver refuses of a part with what our server does. Both
// also judge the whole pod then: that counts only in TestRules, and is left out.
func (c *writes) compareRefusal(refused error, whole field.ErrorList, path string, sent map[string]any, of string) {
	c.t.Helper()
	others := judged(apierrors.NewInvalid(c.GroupVersionKind.GroupKind(), "", whole)).causes
	theirs := eachOnce(slices.DeleteFunc(judged(refused).causes, func(cause string) bool {
		return cause != onlyOfNew && slices.Contains(others, cause)
	}))
	if len(theirs) == 0 {
		return
	}
	answer, code := c.do("PUT", path+"?dryRun=All", sent)
	if code == http.StatusNotFound {
		return // there is no such part
	}
	c.refusals++
	if code < 300 {
		c.t.Errorf("%s: a kube-apiserver says %q, and ours accepts it", of, theirs)
		return
	}
	status := new(metav1.Status)
	if err := json.Unmarshal(answer, status); err != nil {
		c.t.Fatal(err)
	}
	if ours := eachOnce(verdictOf(status).causes); !slices.Equal(ours, theirs) {
		c.t.Errorf("%s: a kube-apiserver says %q, and ours %q", of, theirs, ours)
	}
}

// as is a request of the user that our server knows, and what is said of it.
func (c *writes) as(update bool, subresource string) (context.Context, warned) {
	said := warnedAlways(c.kind)
	return warning.WithWarningRecorder(request.WithUser(requestFor(c.kind, update, subresource), c.user), said), said
}

// compare compares their answer with ours. refused is what ours says if it is no object, nil where
// there is no such path.
func (c *writes) compare(theirs runtime.Object, said warned, method, path string, sent map[string]any, of string) (refused *metav1.Status) {
	c.t.Helper()
	answer, res := c.ask(method, path+"?dryRun=All", sent)
	if res.StatusCode >= 500 {
		c.t.Errorf("%s: %d %s", of, res.StatusCode, answer)
	}
	if res.StatusCode == http.StatusNotFound {
		return nil
	}
	if res.StatusCode >= 300 {
		refused = new(metav1.Status)
		if err := json.Unmarshal(answer, refused); err != nil {
			c.t.Fatal(err)
		}
		return refused
	}
	if err := c.Compare(plain(c.answered(theirs), said), plain(answer, warnedOf(c.t, res.Header)), of); err != nil {
		c.t.Fatal(err)
	}
	return nil
}

// answered is an object as a kube-apiserver answers it: stored, and read again.
func (c *writes) answered(obj runtime.Object) []byte {
	protobuf, _ := runtime.SerializerInfoForMediaType(legacyscheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeProtobuf)
	stored := must(runtime.Encode(legacyscheme.Codecs.EncoderForVersion(protobuf.Serializer, c.GroupVersion()), obj))
	read := must(runtime.Decode(legacyscheme.Codecs.UniversalDecoder(), stored))
	return must(runtime.Encode(legacyscheme.Codecs.LegacyCodec(c.GroupVersion()), read))
}

// plain is a document without what differs between any two answers, and with the warnings beside
// it. Its uid has another text, wherever it is.
func plain(text []byte, said warned) []byte {
	doc := map[string]any{}
	if err := json.Unmarshal(text, &doc); err != nil {
		return text
	}
	m := doc["metadata"].(map[string]any)
	uid, _ := m["uid"].(string)
	for _, name := range []string{"uid", "creationTimestamp", "resourceVersion", "managedFields", "selfLink"} {
		delete(m, name)
	}
	doc["warnings"] = said
	out := string(must(json.Marshal(doc)))
	if uid != "" {
		out = strings.ReplaceAll(out, uid, "the uid")
	}
	return []byte(out)
}
