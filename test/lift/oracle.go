package lift

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"
)

// definition is a version of a CustomResourceDefinition that is served.
type definition struct {
	crd      *apiextensionsv1.CustomResourceDefinition
	version  apiextensionsv1.CustomResourceDefinitionVersion
	gvk      schema.GroupVersionKind
	schema   *structural.Structural
	strategy strategy
	status   updates // of the subresource; nil for none
}

// strategy is what a kube-apiserver does with objects of a definition.
type strategy interface {
	PrepareForCreate(ctx context.Context, obj runtime.Object)
	Validate(ctx context.Context, obj runtime.Object) field.ErrorList
	updates
}

// updates is what it does with changes.
type updates interface {
	PrepareForUpdate(ctx context.Context, obj, old runtime.Object)
	ValidateUpdate(ctx context.Context, obj, old runtime.Object) field.ErrorList
}

// definitions are the versions of the CRDs in some files that are served.
func definitions(t *testing.T, files []string) map[schema.GroupVersionKind]*definition {
	t.Helper()
	out := map[schema.GroupVersionKind]*definition{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		crd := new(apiextensionsv1.CustomResourceDefinition)
		if err := yaml.Unmarshal(data, crd); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&crd.Spec)
		for _, version := range crd.Spec.Versions {
			if version.Served {
				d := newDefinition(t, crd, version)
				out[d.gvk] = d
			}
		}
	}
	return out
}

func newDefinition(t *testing.T, crd *apiextensionsv1.CustomResourceDefinition, version apiextensionsv1.CustomResourceDefinitionVersion) *definition {
	t.Helper()
	d := &definition{crd: crd, version: version, gvk: schema.GroupVersionKind{Group: crd.Spec.Group, Version: version.Name, Kind: crd.Spec.Names.Kind}}
	internal := new(apiextensions.CustomResourceValidation)
	if err := apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(version.Schema, internal, nil); err != nil {
		t.Fatal(err)
	}
	var err error
	if d.schema, err = structural.NewStructural(internal.OpenAPIV3Schema); err != nil {
		t.Fatalf("%v: %v", d.gvk, err)
	}
	d.schema = d.schema.DeepCopy()
	if err := defaulting.PruneDefaults(d.schema); err != nil {
		t.Fatalf("%v: %v", d.gvk, err)
	}
	validator := newValidator(t, internal.OpenAPIV3Schema)
	var status *apiextensions.CustomResourceSubresourceStatus
	var statusValidator validation.SchemaValidator
	if s := version.Subresources; s != nil && s.Status != nil {
		status = new(apiextensions.CustomResourceSubresourceStatus)
		statusSchema := internal.OpenAPIV3Schema.Properties["status"]
		statusValidator = newValidator(t, &statusSchema)
	}
	whole := customresource.NewStrategy(nil, crd.Spec.Scope == apiextensionsv1.NamespaceScoped, d.gvk, validator, statusValidator,
		d.schema, status, nil, version.SelectableFields)
	d.strategy = whole
	if status != nil {
		d.status = customresource.NewStatusStrategy(whole)
	}
	return d
}

func newValidator(t *testing.T, of *apiextensions.JSONSchemaProps) validation.SchemaValidator {
	t.Helper()
	v, _, err := validation.NewSchemaValidator(of)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// create says what a kube-apiserver makes of a new object.
func (d *definition) create(doc map[string]any) verdict {
	obj, refused := d.read(doc)
	if refused != nil {
		return *refused
	}
	d.strategy.PrepareForCreate(context.Background(), obj)
	return judged(obj, d.strategy.Validate(context.Background(), obj))
}

// update says what it makes of a change of one.
func (d *definition) update(doc, stored map[string]any) verdict {
	return d.updateBy(d.strategy, doc, stored)
}

// updateStatus says what it makes of one that is written to the subresource.
func (d *definition) updateStatus(doc, stored map[string]any) verdict {
	return d.updateBy(d.status, doc, stored)
}

func (d *definition) updateBy(s updates, doc, stored map[string]any) verdict {
	obj, refused := d.read(doc)
	if refused != nil {
		return *refused
	}
	old := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(stored)}
	s.PrepareForUpdate(context.Background(), obj, old)
	return judged(obj, s.ValidateUpdate(context.Background(), obj, old))
}

func judged(obj *unstructured.Unstructured, errs field.ErrorList) verdict {
	if len(errs) > 0 {
		var wrong []string
		for _, err := range errs {
			wrong = append(wrong, err.Field)
		}
		return verdict{message: errs.ToAggregate().Error(), wrong: wrong, code: http.StatusUnprocessableEntity}
	}
	return verdict{accepted: true, object: obj.Object}
}

// read decodes a document as a request does that is strict about fields, and gives it its defaults.
func (d *definition) read(doc map[string]any) (*unstructured.Unstructured, *verdict) {
	data, err := json.Marshal(doc)
	if err != nil {
		return nil, &verdict{message: err.Error(), wrong: []string{""}, code: http.StatusBadRequest}
	}
	obj := new(unstructured.Unstructured)
	if err := obj.UnmarshalJSON(data); err != nil {
		return nil, &verdict{message: err.Error(), wrong: []string{""}, code: http.StatusBadRequest}
	}
	meta, found, unknown, err := objectmeta.GetObjectMetaWithOptions(obj.Object, objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		return nil, &verdict{message: err.Error(), wrong: []string{""}, code: http.StatusBadRequest}
	}
	unknown = append(unknown, pruning.PruneWithOptions(obj.Object, d.schema, true, structural.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})...)
	defaulting.PruneNonNullableNullsWithoutDefaults(obj.Object, d.schema)
	fieldErr, more := objectmeta.CoerceWithOptions(nil, obj.Object, d.schema, false, objectmeta.CoerceOptions{ReturnUnknownFieldPaths: true})
	if fieldErr != nil {
		return nil, &verdict{message: fieldErr.Error(), wrong: []string{""}, code: http.StatusBadRequest}
	}
	if unknown = append(unknown, more...); len(unknown) > 0 {
		return nil, &verdict{message: "unknown fields " + unknown[0], wrong: []string{""}, code: http.StatusBadRequest}
	}
	obj.SetGroupVersionKind(d.gvk)
	if found {
		if err := objectmeta.SetObjectMeta(obj.Object, meta); err != nil {
			return nil, &verdict{message: err.Error(), wrong: []string{""}, code: http.StatusBadRequest}
		}
	}
	defaulting.Default(obj.Object, d.schema)
	return obj, nil
}
