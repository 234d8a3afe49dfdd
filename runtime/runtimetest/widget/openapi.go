package widget

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// OpenAPI returns the schemas of the versions in the hub's group, as gen would write them. Parts
// are a map by name in v1, and in v1beta1 a list that belongs to one owner as a whole. There are
// none for GVOld.
func OpenAPI() map[schema.GroupVersion]string {
	of := func(gv schema.GroupVersion, spec, partsAre string) string {
		return strings.NewReplacer("VERSION", gv.Version, "SPEC", spec, "PARTSARE", partsAre).Replace(schemas)
	}
	return map[schema.GroupVersion]string{
		GV1:      of(GV1, `"color":{"type":"string"},"replicas":{"type":"integer","format":"int32"}`, `"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"]`),
		GV1beta1: of(GV1beta1, `"colour":{"type":"string"},"replicas":{"type":"integer","format":"int32"}`, `"x-kubernetes-list-type":"atomic"`),
	}
}

const schemas = `{
"com.example.shop.VERSION.Widget":{"type":"object","properties":{
	"apiVersion":{"type":"string"},"kind":{"type":"string"},
	"metadata":{"allOf":[{"$ref":"#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}],"default":{}},
	"spec":{"allOf":[{"$ref":"#/components/schemas/com.example.shop.VERSION.WidgetSpec"}],"default":{}},
	"status":{"type":"object","properties":{"phase":{"type":"string"},"seen":{"type":"integer","format":"int64"}}}},
	"x-kubernetes-group-version-kind":[{"group":"shop.example.com","version":"VERSION","kind":"Widget"}]},
"com.example.shop.VERSION.WidgetSpec":{"type":"object","properties":{SPEC,
	"parts":{"type":"array","items":{"allOf":[{"$ref":"#/components/schemas/com.example.shop.VERSION.Part"}],"default":{}},PARTSARE},
	"options":{"type":"object","additionalProperties":{"type":"string","default":""}}}},
"com.example.shop.VERSION.Part":{"type":"object","required":["name"],"properties":{"name":{"type":"string","default":""},"count":{"type":"integer","format":"int32"}}},
"io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta":{"type":"object","properties":{
	"name":{"type":"string"},"generateName":{"type":"string"},"namespace":{"type":"string"},"selfLink":{"type":"string"},"uid":{"type":"string"},
	"resourceVersion":{"type":"string"},"generation":{"type":"integer","format":"int64"},
	"creationTimestamp":{"type":"string","format":"date-time"},"deletionTimestamp":{"type":"string","format":"date-time"},
	"deletionGracePeriodSeconds":{"type":"integer","format":"int64"},
	"labels":{"type":"object","additionalProperties":{"type":"string","default":""}},
	"annotations":{"type":"object","additionalProperties":{"type":"string","default":""}},
	"finalizers":{"type":"array","items":{"type":"string","default":""},"x-kubernetes-list-type":"set"},
	"ownerReferences":{"type":"array","items":{"type":"object","additionalProperties":true,"x-kubernetes-map-type":"atomic"},"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["uid"]},
	"managedFields":{"type":"array","items":{"type":"object","additionalProperties":true},"x-kubernetes-list-type":"atomic"}}}
}`
