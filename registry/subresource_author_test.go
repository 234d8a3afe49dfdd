package registry_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/operation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/storage"
)

// paint is a body and an answer of the tests' subresources.
type paint struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Color             string `json:"color,omitempty"`
	Before            string `json:"before,omitempty"`
}

func (p *paint) DeepCopyObject() apiruntime.Object { c := *p; return &c }

// logOptions are the options of the tests' connector.
type logOptions struct {
	metav1.TypeMeta `json:",inline"`
	Follow          bool         `json:"follow,omitempty"`
	Tail            *int64       `json:"tailLines,omitempty"`
	Since           *metav1.Time `json:"sinceTime,omitempty"`
	Of              []string     `json:"of,omitempty"`
	Ports           []int32      `json:"ports,omitempty"`
	Prefix          string       `json:"prefix,omitempty"`
}

var paintKind = widget.GV1.WithKind("Paint")

type subresource = registry.Subresource[*widget.Widget]

// serveAuthored serves widgets with subresources and returns those by name.
func serveAuthored(t *testing.T, s strategy, wrap func(storage.Interface) storage.Interface, parts ...subresource) (*server, map[string]rest.Resource) {
	t.Helper()
	def := definition(s)
	def.CopyStatus, def.Subresources = widget.CopyStatus, parts
	srv, served := serveDefinition(t, def, registry.Options{Schemas: widgetSchemas(t)}, wrap)
	found := map[string]rest.Resource{}
	for _, r := range served {
		if r.Subresource != "" && r.GroupVersion == widget.GV1 {
			found[r.Subresource] = r
		}
	}
	return srv, found
}

func summary() subresource {
	return registry.Getter("summary", paintKind, func(_ context.Context, w *widget.Widget) (*paint, error) {
		if w.Spec.Color == "secret" {
			return nil, errors.New("out of paint")
		}
		return &paint{Color: w.Spec.Color, ObjectMeta: metav1.ObjectMeta{Name: w.Name, ResourceVersion: w.ResourceVersion}}, nil
	})
}

// repaint changes the color, the status and a label, and counts how often it is asked.
func repaint(calls *int) subresource {
	return registry.Action("repaint", paintKind, paintKind, func(ctx context.Context, of *registry.Parent[*widget.Widget], in *paint) (*paint, error) {
		*calls++
		if in.Color == "plaid" {
			var errs field.ErrorList
			errs = append(errs, field.NotSupported(field.NewPath("color"), in.Color, []string{"green"}), field.Required(field.NewPath("by"), ""))
			return nil, errs.ToAggregate()
		}
		before := of.Object.Spec.Color
		w, err := of.Update(ctx, func(w *widget.Widget) error {
			w.Spec.Color, w.Status.Phase = in.Color, "Painted"
			return nil
		})
		if err != nil {
			return nil, err
		}
		return &paint{Color: w.Spec.Color, Before: before}, nil
	})
}

func bind() subresource {
	return registry.Change("binding", paintKind, func(_ context.Context, w *widget.Widget, in *paint) error {
		if w.Status.Phase == "Bound" {
			return field.Forbidden(field.NewPath("color"), "it is bound")
		}
		w.Spec.Color, w.Status.Phase = in.Color, "Bound"
		return nil
	})
}

func TestGetter(t *testing.T) {
	s, parts := serveAuthored(t, strategy{}, nil, summary())
	w := s.mustCreate(`{"metadata":{"name":"w"},"spec":{"color":"green"}}`)
	r := parts["summary"]
	if r.BodyKind != paintKind || r.Create != nil || r.Kind != "Widget" {
		t.Errorf("%+v", r)
	}
	view, err := r.Get.Get(ctx, named, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"kind":"Paint","apiVersion":"shop.example.com/v1","metadata":{"name":"w","resourceVersion":"` + w.ResourceVersion + `"},"color":"green"}` + "\n"
	if got := text(t, view); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := written(t, view, rest.Representation{MediaType: rest.JSON, As: rest.AsTable}); !strings.Contains(got, `"cells":["w",`) {
		t.Errorf("as a table %s", got)
	}
	_, err = r.Get.Get(ctx, rest.Name{Namespace: "ns", Name: "none"}, metav1.GetOptions{})
	wantStatus(t, err, 404, metav1.StatusReasonNotFound, `widgets.shop.example.com "none" not found`)
	s.mustCreate(`{"metadata":{"name":"x"},"spec":{"color":"secret"}}`)
	_, err = r.Get.Get(ctx, rest.Name{Namespace: "ns", Name: "x"}, metav1.GetOptions{})
	wantStatus(t, err, 500, metav1.StatusReasonInternalError, "Internal error occurred: out of paint")
}

func TestAction(t *testing.T) {
	var calls int
	s, parts := serveAuthored(t, strategy{}, nil, repaint(&calls))
	before := s.mustCreate(`{"metadata":{"name":"w"},"spec":{"color":"red"}}`)
	r := parts["repaint"]
	if !r.BodyOptional || r.NewBody == nil || r.BodyKind != paintKind {
		t.Errorf("%+v", r)
	}
	do := func(opts metav1.CreateOptions, in *paint) (*paint, error) {
		view, err := r.Create.Create(ctx, new(rest.Request), named, in, opts)
		if err != nil {
			return nil, err
		}
		return read[*paint](t, view), nil
	}
	tried, err := do(metav1.CreateOptions{DryRun: []string{"All"}}, &paint{Color: "green"})
	if err != nil || tried.Color != "green" || tried.Before != "red" || tried.Kind != "Paint" {
		t.Errorf("tried: %v %+v", err, tried)
	}
	if now := s.mustGet(named); now.ResourceVersion != before.ResourceVersion {
		t.Errorf("a dry run changed it: %+v", now)
	}
	if _, err := do(metav1.CreateOptions{FieldManager: "painter"}, &paint{Color: "green"}); err != nil {
		t.Fatal(err)
	}
	now := s.mustGet(named)
	if now.Spec.Color != "green" || now.Status.Phase != "Painted" || now.Generation != 2 || now.UID != before.UID {
		t.Errorf("%+v", now)
	}
	if !slices.ContainsFunc(now.ManagedFields, func(owner metav1.ManagedFieldsEntry) bool {
		return owner.Manager == "painter" && owner.Subresource == "repaint" && strings.Contains(owner.FieldsV1.GetRawString(), "f:color")
	}) {
		t.Errorf("owners %+v", now.ManagedFields)
	}
	_, err = do(metav1.CreateOptions{}, &paint{Color: "plaid"})
	wantCauses(t, err, `color: Unsupported value: "plaid": supported values: "green"`, "by: Required value")
	// What the author writes has to be valid anyway.
	_, err = do(metav1.CreateOptions{}, &paint{Color: "rainbow"})
	wantCauses(t, err, "spec.color: Forbidden: needs the option Rainbow /repaint")
	_, err = do(metav1.CreateOptions{}, &paint{ObjectMeta: metav1.ObjectMeta{Name: "other"}})
	wantStatus(t, err, 400, metav1.StatusReasonBadRequest, "the name of the object (other) does not match the name on the URL (w)")
	if calls != 4 {
		t.Errorf("it was asked %d times for 4 requests", calls)
	}
}

// A change is applied again when another writer comes first, and the kind's own rules for clients
// do not bind it.
func TestChangeIsRetried(t *testing.T) {
	var other func()
	s, parts := serveAuthored(t, strategy{
		ValidateUpdate: func(_ context.Context, w, old *widget.Widget) (errs field.ErrorList) {
			if w.Spec.Color != old.Spec.Color {
				errs = append(errs, field.Forbidden(field.NewPath("spec", "color"), "bind it"))
			}
			return errs
		},
	}, func(next storage.Interface) storage.Interface {
		return interrupt{next, func() {
			if f := other; f != nil {
				other = nil
				f()
			}
		}}
	}, bind())
	s.mustCreate(`{"metadata":{"name":"w"},"spec":{"color":"red"}}`)
	r := parts["binding"]
	other = func() {
		w := s.mustGet(named)
		w.Labels = map[string]string{"first": "me"}
		if _, err := s.update(w); err != nil {
			t.Fatal(err)
		}
	}
	view, err := r.Create.Create(ctx, new(rest.Request), named, &paint{ObjectMeta: metav1.ObjectMeta{Name: "w"}, Color: "green"}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := text(t, view); !strings.Contains(got, `"status":"Success","code":201`) {
		t.Errorf("%s", got)
	}
	now := s.mustGet(named)
	if now.Spec.Color != "green" || now.Status.Phase != "Bound" || now.Labels["first"] != "me" {
		t.Errorf("%+v", now)
	}
	_, err = r.Create.Create(ctx, new(rest.Request), named, &paint{Color: "blue"}, metav1.CreateOptions{})
	wantCauses(t, err, "color: Forbidden: it is bound")
	// By an update nobody may do it.
	now.Spec.Color = "blue"
	_, err = s.update(now)
	wantCauses(t, err, "spec.color: Forbidden: bind it")
}

func TestChangeOfAnotherObject(t *testing.T) {
	s, parts := serveAuthored(t, strategy{}, nil, bind())
	w := s.mustCreate(`{"metadata":{"name":"w"},"spec":{"color":"red"}}`)
	r := parts["binding"]
	_, err := r.Create.Create(ctx, new(rest.Request), named, &paint{ObjectMeta: metav1.ObjectMeta{UID: "other"}}, metav1.CreateOptions{})
	wantStatus(t, err, 409, metav1.StatusReasonConflict,
		`Operation cannot be fulfilled on widgets.shop.example.com "w": Precondition failed: UID in precondition: other, UID in object meta: `+string(w.UID))
	_, err = r.Create.Create(ctx, new(rest.Request), named, &paint{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "1000000"}}, metav1.CreateOptions{})
	if s := status(t, err); s.Code != 409 {
		t.Errorf("%+v", s)
	}
	_, err = r.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns", Name: "none"}, &paint{}, metav1.CreateOptions{})
	wantStatus(t, err, 404, metav1.StatusReasonNotFound, `widgets.shop.example.com "none" not found`)
	if _, err := r.Create.Create(ctx, new(rest.Request), named, &paint{ObjectMeta: metav1.ObjectMeta{UID: w.UID}}, metav1.CreateOptions{DryRun: []string{"All"}}); err != nil {
		t.Error(err)
	}
	if now := s.mustGet(named); now.ResourceVersion != w.ResourceVersion {
		t.Errorf("%+v", now)
	}
}

// phase is a part of widgets: their phase, which never goes back.
func phase() subresource {
	return registry.Part("phase", func(_ context.Context, w, sent *widget.Widget) error {
		if sent.Status.Phase == "" {
			return field.Required(field.NewPath("status", "phase"), "it never goes back")
		}
		w.Status.Phase = sent.Status.Phase
		return nil
	})
}

func TestPart(t *testing.T) {
	s, parts := serveAuthored(t, strategy{}, nil, phase())
	before := s.mustCreate(`{"metadata":{"name":"w"},"spec":{"color":"red"}}`)
	r := parts["phase"]
	if r.NewBody != nil || r.Create != nil || r.Get == nil || r.Patch == nil || len(r.PatchTypes) == 0 {
		t.Errorf("%+v", r)
	}
	put := func(phase, color, revision string) error {
		w := s.mustGet(named)
		w.Status.Phase, w.Spec.Color, w.Labels, w.ResourceVersion = phase, color, map[string]string{"by": "me"}, revision
		_, _, err := r.Update.Update(ctx, new(rest.Request), named, w, metav1.UpdateOptions{})
		return err
	}
	if err := put("Bound", "blue", ""); err != nil {
		t.Fatal(err)
	}
	now := s.mustGet(named)
	if now.Status.Phase != "Bound" || now.Spec.Color != "red" || now.Labels != nil || now.Generation != before.Generation {
		t.Errorf("what was not of the part has changed: %+v", now)
	}
	wantCauses(t, put("", "red", ""), "status.phase: Required value: it never goes back")
	if got := status(t, put("Free", "red", before.ResourceVersion)); got.Code != 409 {
		t.Errorf("%+v", got)
	}
	patch := rest.Patch{Type: types.MergePatchType, Bytes: []byte(`{"spec":{"color":"blue"},"status":{"phase":"Free"}}`)}
	if _, _, err := r.Patch.Patch(ctx, new(rest.Request), named, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	if now := s.mustGet(named); now.Status.Phase != "Free" || now.Spec.Color != "red" {
		t.Errorf("%+v", now)
	}
}

func TestConnector(t *testing.T) {
	var got logOptions
	s, parts := serveAuthored(t, strategy{}, nil, registry.Connector("log", schema.GroupVersionKind{}, nil,
		func(_ context.Context, of *registry.Parent[*widget.Widget], opts *logOptions) (http.Handler, error) {
			got = *opts
			if opts.Prefix == "none" {
				return nil, field.Invalid(field.NewPath("prefix"), opts.Prefix, "there is no log")
			}
			return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(of.Object.Spec.Color)) }), nil
		}))
	s.mustCreate(`{"metadata":{"name":"w"},"spec":{"color":"green"}}`)
	r := parts["log"]
	connect := func(name, query string) (string, error) {
		got = logOptions{}
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		h, err := r.Connect.Connect(ctx, new(rest.Request), rest.Name{Namespace: "ns", Name: name}, rest.ConnectOptions{Query: values})
		if err != nil {
			return "", err
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		return w.Body.String(), nil
	}
	if len(r.ConnectMethods) != 1 || r.ConnectMethods[0] != "GET" || len(r.ConnectParameters) != 6 || r.ConnectParameters[3] != (rest.QueryParameter{Name: "of", Type: "array"}) {
		t.Errorf("%v %v", r.ConnectMethods, r.ConnectParameters)
	}
	body, err := connect("w", "follow&tailLines=7&sinceTime=2026-01-02T03:04:05Z&of=a&of=b&ports=80&ports=443&unknown=1&kind=Pod&prefix=p")
	if err != nil || body != "green" {
		t.Fatal(body, err)
	}
	if !got.Follow || *got.Tail != 7 || got.Since.Year() != 2026 || strings.Join(got.Of, "") != "ab" || !slices.Equal(got.Ports, []int32{80, 443}) || got.Prefix != "p" || got.Kind != "" {
		t.Errorf("%+v", got)
	}
	if _, err := connect("w", "follow=false"); err != nil || got.Follow || got.Tail != nil {
		t.Errorf("%v %+v", err, got)
	}
	for query, want := range map[string]string{
		"tailLines=many":      `tailLines: "many" is not a number that fits`,
		"tailLines=9e9":       `tailLines: "9e9" is not a number that fits`,
		"ports=80&ports=x":    `ports: "x" is not a number that fits`,
		"sinceTime=yesterday": `sinceTime: "yesterday" is not a time like 2006-01-02T15:04:05Z`,
	} {
		_, err := connect("w", query)
		wantStatus(t, err, 400, metav1.StatusReasonBadRequest, want)
	}
	_, err = connect("none", "")
	wantStatus(t, err, 404, metav1.StatusReasonNotFound, `widgets.shop.example.com "none" not found`)
	_, err = connect("w", "prefix=none")
	wantCauses(t, err, `prefix: Invalid value: "none": there is no log`)
}

// TestConnectorBelow: the rest of the path is an option, whatever the client says of it.
func TestConnectorBelow(t *testing.T) {
	var got string
	proxy := registry.Connector("proxy", schema.GroupVersionKind{}, []string{"GET", "PUT"}, func(_ context.Context, _ *registry.Parent[*widget.Widget], opts *logOptions) (http.Handler, error) {
		got = opts.Prefix
		return http.NotFoundHandler(), nil
	}).Below("prefix")
	s, parts := serveAuthored(t, strategy{}, nil, proxy)
	s.mustCreate(`{"metadata":{"name":"w"},"spec":{"color":"green"}}`)
	r := parts["proxy"]
	if !r.ConnectBelow || slices.ContainsFunc(r.ConnectParameters, func(p rest.QueryParameter) bool { return p.Name == "prefix" }) || len(r.ConnectParameters) != 5 {
		t.Errorf("%v %v", r.ConnectBelow, r.ConnectParameters)
	}
	for _, below := range []string{"", "/a/b/"} {
		sent := url.Values{"prefix": {"mine"}}
		if _, err := r.Connect.Connect(ctx, new(rest.Request), rest.Name{Namespace: "ns", Name: "w"}, rest.ConnectOptions{Query: sent, Below: below}); err != nil || got != below || sent.Get("prefix") != "mine" {
			t.Errorf("%q: %v, %q, %v", below, err, got, sent)
		}
	}
}

// Subresources are in the versions that they are for, and mistakes are found when the server
// starts.
func TestSubresourceDefinitions(t *testing.T) {
	def := definition(strategy{})
	def.Subresources = []subresource{summary().In(widget.GV1beta1)}
	_, served := serveDefinition(t, def, registry.Options{}, nil)
	for _, r := range served {
		if r.Subresource == "summary" && r.GroupVersion != widget.GV1beta1 {
			t.Errorf("it is in %s", r.GroupVersion)
		}
	}
	bad := registry.Connector("stream", schema.GroupVersionKind{}, nil, func(context.Context, *registry.Parent[*widget.Widget], *widget.V1Spec) (http.Handler, error) {
		return nil, nil
	})
	var calls int
	action := repaint(&calls)
	for want, parts := range map[string][]subresource{
		"subresource summary: the name is taken":                                                                {summary(), summary()},
		"subresource status: the name is taken":                                                                 {registry.Getter("status", paintKind, func(context.Context, *widget.Widget) (*paint, error) { return nil, nil })},
		"subresource repaint: version other/v1 is not served":                                                   {action.In(schema.GroupVersion{Group: "other", Version: "v1"})},
		"a subresource is empty: make it with Getter, Action, Change, Part or Connector":                        {{}},
		`subresource "A/b": its name must be a lower-case path segment, like restart`:                           {registry.Getter("A/b", paintKind, func(context.Context, *widget.Widget) (*paint, error) { return nil, nil })},
		"subresource stream: field Parts of its options is a []widget.Part, which no parameter of a URL can be": {bad},
		`subresource summary: the rest of the path goes into "prefix", which is no string among its options`:    {summary().Below("prefix")},
	} {
		def := definition(strategy{})
		def.CopyStatus, def.Subresources = widget.CopyStatus, parts
		_, err := registry.Define(def).Form(widget.Scheme(), registry.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// An author's test needs no server.
func TestAParentOfATest(t *testing.T) {
	of := &registry.Parent[*widget.Widget]{Object: new(widget.Widget)}
	w, err := of.Update(ctx, func(w *widget.Widget) error { w.Spec.Color = "green"; return nil })
	if err != nil || w.Spec.Color != "green" || of.Object.Spec.Color != "green" {
		t.Errorf("%v %+v", err, w)
	}
}

// What a subresource takes has the defaults and the rules of its type.
func TestRulesOfABody(t *testing.T) {
	var calls int
	ruled := registry.WithRules(repaint(&calls),
		func(in *paint) {
			if in.Color == "" {
				in.Color = "white"
			}
		},
		func(_ context.Context, op operation.Operation, _ *field.Path, in, old *paint) field.ErrorList {
			if len(in.Color) > 5 && old == nil {
				return field.ErrorList{field.TooLong(field.NewPath("color"), in.Color, 5), field.Forbidden(field.NewPath("before"), op.Request.SubresourcePath()).MarkAlpha()}
			}
			return nil
		})
	s, parts := serveAuthored(t, strategy{}, nil, ruled)
	s.mustCreate(`{"metadata":{"name":"w"}}`)
	r := parts["repaint"]
	view, err := r.Create.Create(ctx, new(rest.Request), named, &paint{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := read[*paint](t, view); got.Color != "white" {
		t.Errorf("%+v", got)
	}
	_, err = r.Create.Create(ctx, new(rest.Request), named, &paint{Color: "purple"}, metav1.CreateOptions{})
	wantCauses(t, err, "color: Too long: may not be more than 5 bytes")
	if calls != 1 {
		t.Errorf("called %d times", calls)
	}
	def := definition(strategy{})
	def.Subresources = []subresource{registry.WithRules(bind(), func(*logOptions) {}, nil)}
	if _, err := registry.Define(def).Form(widget.Scheme(), registry.Options{}); err == nil || !strings.Contains(err.Error(), "its rules are for a *registry_test.logOptions, and it takes a *registry_test.paint") {
		t.Errorf("%v", err)
	}
}

// brushOptions are options that admission sees.
type brushOptions struct {
	metav1.TypeMeta `json:",inline"`
	Color           string `json:"color,omitempty"`
}

func (o *brushOptions) DeepCopyObject() apiruntime.Object { c := *o; return &c }

// TestConnectorAdmitted: what admission makes of the options counts, in whichever way it does so.
func TestConnectorAdmitted(t *testing.T) {
	var got string
	def, chain := definition(strategy{}), new(admission.Chain)
	def.Subresources = []subresource{registry.Connector("brush", paintKind, nil, func(_ context.Context, _ *registry.Parent[*widget.Widget], opts *brushOptions) (http.Handler, error) {
		got = opts.Color
		return http.NotFoundHandler(), nil
	})}
	s, served := serveDefinition(t, def, registry.Options{Admission: chain}, nil)
	s.mustCreate(`{"metadata":{"name":"w"}}`)
	brush := served[slices.IndexFunc(served, func(r rest.Resource) bool { return r.Subresource == "brush" })]
	connect := func() error {
		_, err := brush.Connect.Connect(ctx, new(rest.Request), named, rest.ConnectOptions{Query: url.Values{"color": {"red"}}})
		return err
	}
	for name, mutate := range map[string]func(r *admission.Request){
		"red":  func(*admission.Request) {},
		"blue": func(r *admission.Request) { r.Object.(*brushOptions).Color = "blue" },
		"gold": func(r *admission.Request) { r.Object = &brushOptions{Color: "gold"} },
	} {
		chain.Set([]admission.Plugin{{Mutate: func(_ context.Context, r *admission.Request) error { mutate(r); return nil }}})
		if err := connect(); err != nil || got != name {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	chain.Set([]admission.Plugin{{Mutate: func(_ context.Context, r *admission.Request) error { r.Object = new(paint); return nil }}})
	wantStatus(t, connect(), 500, metav1.StatusReasonInternalError, "Internal error occurred: admission made a *registry_test.paint of a *registry_test.brushOptions")
}
