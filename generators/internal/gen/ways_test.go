package gen

import (
	"slices"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/tag"
)

// way is one way to write a tag.
type way struct {
	line string
	// with are lines for other places, without which the tag would say nothing; "beside" is its
	// own place.
	with map[string][]string
	// in is the case that it is written into: "kind" is testdata/places/kind.txtar.
	in string
	// at is where it stands, if that is not what the place is called.
	at string
}

// waysOf are the ways to write a tag at a place.
func waysOf(d tag.Definition, place string) []way {
	place, _, _ = strings.Cut(place, "-")
	if place == "file" {
		place = "package"
	}
	if found, ok := ways[d.Name+" "+place]; ok {
		return found
	}
	if found, ok := ways[d.Name]; ok {
		return found
	}
	if d.Example != "" {
		return []way{served(d.Example)}
	}
	return []way{served("+" + d.Name + values[d.Value])}
}

// values are for tags without an example.
var values = map[tag.ValueType]string{
	tag.Bool: "=true", tag.Int: "=1", tag.Number: "=1", tag.JSON: "=1", tag.String: "=a", tag.Name: "=a", tag.Any: "=a",
}

// served is a tag in a package below a server, plain in one of no server. More lines are for other
// places: "place: line".
func served(line string, more ...string) way {
	return in("kind", line, append(more, "served: +typeplane:apiserver")...)
}

func plain(line string, more ...string) way { return in("kind", line, more...) }

// withClients is a tag in a package below one that asks for clients.
func withClients(line string, more ...string) way {
	return in("kind", line, slices.Concat(more, objects, []string{"served: +typeplane:client:dir=CELL/client"})...)
}

// objects makes a kind with a client.
var objects = []string{"package: +k8s:deepcopy-gen=package", "kind: +kubebuilder:object:root=true", "list: +kubebuilder:object:root=true", "kind: +genclient"}

// older is a tag in a version beside another one.
func older(line string, more ...string) way {
	return in("hub", line, append(more, "hub: +k8s:conversion-gen=example.com/CELL/api")...)
}

func in(name, line string, more ...string) way {
	w := way{line: line, with: map[string][]string{}, in: name}
	for _, m := range more {
		place, text, _ := strings.Cut(m, ": ")
		w.with[place] = append(w.with[place], text)
	}
	return w
}

func (w way) on(place string) way {
	w.at = place
	return w
}

// custom are the imports of a function that is called for a tag.
var custom = []string{
	`code: import "context"`, `code: import "k8s.io/apimachinery/pkg/api/operation"`, `code: import "k8s.io/apimachinery/pkg/util/validation/field"`,
}

// ways are those that need more than an example.
var ways = map[string][]way{
	"genclient":                               {in("kind", "+genclient", append(objects[:3:3], "served: +typeplane:client:dir=CELL/client")...)},
	"genclient:method":                        {withClients("+genclient:method=Restart,verb=update,subresource=restart")},
	"genclient:noStatus":                      {withClients("+genclient:noStatus")},
	"genclient:noVerbs":                       {withClients("+genclient:noVerbs")},
	"genclient:onlyVerbs":                     {withClients("+genclient:onlyVerbs=create,get")},
	"genclient:readonly":                      {withClients("+genclient:readonly")},
	"genclient:skipVerbs":                     {withClients("+genclient:skipVerbs=patch")},
	"groupGoName":                             {withClients("+groupGoName=Library")},
	"resourceName":                            {withClients("+resourceName=shelves")},
	"typeplane:client package":                {plain("+typeplane:client:dir=CELL/client", objects...).on("main")},
	"typeplane:client":                        {plain("+typeplane:client:dir=CELL/client", objects...)},
	"typeplane:apiserver package":             {plain("+typeplane:apiserver").on("main")},
	"typeplane:conversion:lossless":           {older("+typeplane:conversion:lossless", "count: +k8s:conversion-gen=false")},
	"typeplane:docs":                          {served("+typeplane:docs=CELL/documents")},
	"typeplane:fieldset-gen":                  {plain("+typeplane:fieldset-gen=package", "package: +k8s:openapi-gen=true")},
	"typeplane:guard":                         {served("+typeplane:guard=false")},
	"typeplane:json-gen":                      {served("+typeplane:json-gen=false"), plain("+typeplane:json-gen=true")},
	"typeplane:json-gen package":              {served("+typeplane:json-gen=false"), plain("+typeplane:json-gen=package")},
	"typeplane:kubernetes":                    {served("+typeplane:kubernetes", "letter: +enum")},
	"typeplane:manifests":                     {served("+typeplane:manifests=CELL/manifests")},
	"typeplane:manifests package":             {served("+typeplane:manifests=CELL/manifests").on("main")},
	"typeplane:openapi":                       {served("+typeplane:openapi=CELL/openapi.json")},
	"typeplane:roundtrip-gen:fill":            {served("+typeplane:roundtrip-gen:fill=fillers", "package: +typeplane:roundtrip-gen=true")},
	"typeplane:subresource":                   {served("+typeplane:subresource:name=restart")},
	"typeplane:typescript":                    {served("+typeplane:typescript=CELL/types.ts")},
	"typeplane:validation:disabled":           {served("+typeplane:validation:disabled=Large", "count: +k8s:ifEnabled(Large)=+k8s:minimum=1")},
	"typeplane:validation:enabled":            {served("+typeplane:validation:enabled=Large", "count: +k8s:ifEnabled(Large)=+k8s:minimum=1")},
	"typeplane:validation:storage":            {older("+typeplane:validation:storage=false")},
	"unionDeprecated":                         {served("+unionDeprecated", "holder: +union")},
	"unionDiscriminator":                      {served("+unionDiscriminator", "holder: +union")},
	"k8s:deepcopy-gen":                        {plain("+k8s:deepcopy-gen=true")},
	"k8s:deepcopy-gen package":                {plain("+k8s:deepcopy-gen=package"), served("+k8s:deepcopy-gen=false")},
	"k8s:deepcopy-gen:interfaces":             {plain("+k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object", "package: +k8s:deepcopy-gen=package", "package: +k8s:register-gen=false")},
	"k8s:deepcopy-gen:nonpointer-interfaces":  {plain("+k8s:deepcopy-gen:nonpointer-interfaces=true", "package: +k8s:deepcopy-gen=package", "package: +k8s:register-gen=false", "beside: +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object")},
	"k8s:defaulter-gen":                       {plain("+k8s:defaulter-gen=true")},
	"k8s:defaulter-gen package":               {plain("+k8s:defaulter-gen=TypeMeta"), served("+k8s:defaulter-gen=false")},
	"k8s:defaulter-gen function":              {served("+k8s:defaulter-gen=covers", "count: +default=1")},
	"k8s:defaulter-gen-input":                 {plain("+k8s:defaulter-gen-input=k8s.io/api/coordination/v1", "package: +k8s:defaulter-gen=TypeMeta")},
	"k8s:conversion-gen":                      {older("+k8s:conversion-gen=false")},
	"k8s:conversion-gen package":              {in("hub", "+k8s:conversion-gen=example.com/CELL/api")},
	"k8s:conversion-gen-external-types":       {in("hub", "+k8s:conversion-gen-external-types=example.com/CELL/v1", "hub: +k8s:conversion-gen=example.com/CELL/api")},
	"k8s:conversion-gen:explicit-from":        {older("+k8s:conversion-gen:explicit-from=net/url.Values")},
	"k8s:conversion-fn":                       {older("+k8s:conversion-fn=copy-only")},
	"k8s:prerelease-lifecycle-gen":            {plain("+k8s:prerelease-lifecycle-gen=true", "kind: +k8s:prerelease-lifecycle-gen:introduced=1.30", "alias: +k8s:prerelease-lifecycle-gen:introduced=1.30")},
	"k8s:prerelease-lifecycle-gen:introduced": {plain("+k8s:prerelease-lifecycle-gen:introduced=1.30", "package: +k8s:prerelease-lifecycle-gen=true")},
	"k8s:prerelease-lifecycle-gen:deprecated": {
		plain("+k8s:prerelease-lifecycle-gen:deprecated=1.36", "package: +k8s:prerelease-lifecycle-gen=true", "kind: +k8s:prerelease-lifecycle-gen:introduced=1.30", "alias: +k8s:prerelease-lifecycle-gen:introduced=1.30"),
	},
	"k8s:prerelease-lifecycle-gen:removed": {
		plain("+k8s:prerelease-lifecycle-gen:removed=1.39", "package: +k8s:prerelease-lifecycle-gen=true", "kind: +k8s:prerelease-lifecycle-gen:introduced=1.30", "alias: +k8s:prerelease-lifecycle-gen:introduced=1.30",
			"kind: +k8s:prerelease-lifecycle-gen:deprecated=1.36", "alias: +k8s:prerelease-lifecycle-gen:deprecated=1.36"),
	},
	"k8s:prerelease-lifecycle-gen:replacement": {
		plain("+k8s:prerelease-lifecycle-gen:replacement=apps,v1,Deployment", "package: +k8s:prerelease-lifecycle-gen=true", "kind: +k8s:prerelease-lifecycle-gen:introduced=1.30", "alias: +k8s:prerelease-lifecycle-gen:introduced=1.30",
			"kind: +k8s:prerelease-lifecycle-gen:deprecated=1.36", "alias: +k8s:prerelease-lifecycle-gen:deprecated=1.36"),
	},
	"k8s:openapi-gen":                    {served("+k8s:openapi-gen=false"), plain("+k8s:openapi-gen=true"), served("+k8s:openapi-gen=x-kubernetes-thing:word")},
	"k8s:validation-gen":                 {served("+k8s:validation-gen=false", "inner: +k8s:maxLength=5")},
	"k8s:validation-gen package":         {plain("+k8s:validation-gen=*", "inner: +k8s:maxLength=5")},
	"k8s:validation-gen-input":           {plain("+k8s:validation-gen-input=k8s.io/api/coordination/v1", "package: +k8s:validation-gen=*")},
	"k8s:validation-gen-scheme-registry": {plain("+k8s:validation-gen-scheme-registry=nil", "package: +k8s:validation-gen=*", "inner: +k8s:maxLength=5")},
	"k8s:validation-gen-test-fixture":    {plain("+k8s:validation-gen-test-fixture=validateFalse", "package: +k8s:validation-gen=*", `inner: +k8s:validateFalse="no"`)},
	"k8s:validation-gen-test-targets":    {plain("+k8s:validation-gen-test-targets", "package: +k8s:validation-gen=*", "inner: +k8s:maxLength=5")},
	"groupName":                          {served("+groupName=CELL2.example.com")},
	"versionName":                        {served("+versionName=v1beta1")},
	"k8s:customUnique":                   {served("+k8s:customUnique", "beside: +k8s:listType=set")},
	"k8s:customValidation field": {served("+k8s:customValidation", append(custom,
		"code: func ValidateCustom_TextHolder_Field(ctx context.Context, op operation.Operation, fldPath *field.Path, obj, old *string) field.ErrorList { return nil }")...)},
	"k8s:customValidation named": {served("+k8s:customValidation", append(custom,
		"code: func ValidateCustom_Letter(ctx context.Context, op operation.Operation, fldPath *field.Path, obj, old *Letter) field.ErrorList { return nil }")...)},
	"k8s:customValidation struct": {served("+k8s:customValidation", append(custom,
		"code: func ValidateCustom_Item(ctx context.Context, op operation.Operation, fldPath *field.Path, obj, old *Item) field.ErrorList { return nil }")...)},
	"k8s:isSubresource":                       {plain(`+k8s:isSubresource="/scale"`, "package: +k8s:validation-gen=*", "package: +k8s:deepcopy-gen=package", "kind: +kubebuilder:object:root=true", "list: +kubebuilder:object:root=true", "inner: +k8s:maxLength=5")},
	"k8s:supportsSubresource":                 {plain(`+k8s:supportsSubresource="/status"`, "package: +k8s:validation-gen=*", "package: +k8s:deepcopy-gen=package", "kind: +kubebuilder:object:root=true", "list: +kubebuilder:object:root=true", "inner: +k8s:maxLength=5")},
	"k8s:enumExclude":                         {served("+k8s:enumExclude", "letter: +k8s:enum")},
	"k8s:neq":                                 {served(`+k8s:neq="none"`), served("+k8s:neq=1")},
	"k8s:listType":                            {served("+k8s:listType=set"), served("+k8s:listType=map", "beside: +k8s:listMapKey=name")},
	"listType":                                {served("+listType=set"), served("+listType=map", "beside: +listMapKey=name")},
	"k8s:listMapKey":                          {served("+k8s:listMapKey=name", "beside: +k8s:listType=map")},
	"listMapKey":                              {served("+listMapKey=name", "beside: +listType=map")},
	"k8s:eachVal":                             {served("+k8s:eachVal=+k8s:maxLength=63")},
	"k8s:item":                                {served(`+k8s:item(name: "a")=+k8s:immutable`, "beside: +k8s:listType=map", "beside: +k8s:listMapKey=name")},
	"k8s:subfield":                            {served("+k8s:subfield(name)=+k8s:required")},
	"k8s:unionMember":                         {served("+k8s:unionMember", "other: +k8s:unionMember")},
	"k8s:unionDiscriminator":                  {served("+k8s:unionDiscriminator", "other: +k8s:unionMember")},
	"k8s:zeroOrOneOfMember":                   {served("+k8s:zeroOrOneOfMember", "other: +k8s:zeroOrOneOfMember")},
	"k8s:modeDiscriminator":                   {served("+k8s:modeDiscriminator", `other: +k8s:ifMode("a")=+k8s:required`)},
	"k8s:ifMode":                              {served(`+k8s:ifMode("a")=+k8s:required`, "other: +k8s:modeDiscriminator")},
	"k8s:ifEnabled constant":                  {served("+k8s:ifEnabled(Letters)=+k8s:enumExclude", "letter: +k8s:enum")},
	"k8s:ifDisabled constant":                 {served("+k8s:ifDisabled(Letters)=+k8s:enumExclude", "letter: +k8s:enum")},
	"k8s:alpha":                               {served(`+k8s:alpha(since: "1.37")=+k8s:maxLength=63`), served(`+k8s:alpha(since: "1.37")=+k8s:maxItems=32`)},
	"k8s:alpha constant":                      {served(`+k8s:alpha(since: "1.37")=+k8s:enumExclude`, "letter: +k8s:enum")},
	"k8s:beta":                                {served(`+k8s:beta(since: "1.37")=+k8s:maxLength=63`), served(`+k8s:beta(since: "1.37")=+k8s:maxItems=32`)},
	"k8s:beta constant":                       {served(`+k8s:beta(since: "1.37")=+k8s:enumExclude`, "letter: +k8s:enum")},
	"k8s:opaqueType":                          {served("+k8s:opaqueType", "inner: +k8s:maxLength=5")},
	"required":                                {served("+required", "package: +kubebuilder:validation:Optional")},
	"default":                                 {served(`+default="a"`), served("+default=1")},
	"mapType":                                 {served("+mapType=atomic")},
	"patchMergeKey":                           {served("+patchMergeKey=name", "beside: +patchStrategy=merge")},
	"k8s:validation:minimum":                  {served("+k8s:validation:minimum=0")},
	"k8s:validation:maximum":                  {served("+k8s:validation:maximum=9")},
	"k8s:validation:exclusiveMinimum":         {served("+k8s:validation:exclusiveMinimum=true", "beside: +k8s:validation:minimum=0")},
	"k8s:validation:exclusiveMaximum":         {served("+k8s:validation:exclusiveMaximum=true", "beside: +k8s:validation:maximum=9")},
	"k8s:validation:multipleOf":               {served("+k8s:validation:multipleOf=2")},
	"k8s:validation:enum":                     {served("+k8s:validation:enum=a;b")},
	"k8s:validation:cel":                      {served(`+k8s:validation:cel[0]:rule="self == self"`)},
	"kubebuilder:object:generate":             {plain("+kubebuilder:object:generate=true")},
	"kubebuilder:object:generate package":     {plain("+kubebuilder:object:generate=true"), served("+kubebuilder:object:generate=false")},
	"kubebuilder:object:root":                 {plain("+kubebuilder:object:root=true")},
	"kubebuilder:printcolumn":                 {served("+kubebuilder:printcolumn:name=Room,type=string,JSONPath=.spec.room"), served("+kubebuilder:printcolumn:name=Holder,type=string,JSONPath=.spec.holderIdentity")},
	"kubebuilder:selectablefield":             {served("+kubebuilder:selectablefield:JSONPath=.spec.room"), served("+kubebuilder:selectablefield:JSONPath=.spec.holderIdentity")},
	"typeplane:selectablefield":               {served("+typeplane:selectablefield:name=spec.place,JSONPath=.spec.room"), served("+typeplane:selectablefield:name=spec.holder,JSONPath=.spec.holderIdentity")},
	"typeplane:expires":                       {served("+typeplane:expires=.metadata.creationTimestamp")},
	"kubebuilder:storageversion":              {older("+kubebuilder:storageversion")},
	"kubebuilder:unservedversion":             {older("+kubebuilder:unservedversion")},
	"kubebuilder:default":                     {served("+kubebuilder:default=a"), served("+kubebuilder:default=1")},
	"kubebuilder:example":                     {served("+kubebuilder:example=a"), served("+kubebuilder:example=1")},
	"kubebuilder:validation:Minimum":          {served("+kubebuilder:validation:Minimum=0")},
	"kubebuilder:validation:Maximum":          {served("+kubebuilder:validation:Maximum=9")},
	"kubebuilder:validation:ExclusiveMinimum": {served("+kubebuilder:validation:ExclusiveMinimum=true", "beside: +kubebuilder:validation:Minimum=0")},
	"kubebuilder:validation:ExclusiveMaximum": {served("+kubebuilder:validation:ExclusiveMaximum=true", "beside: +kubebuilder:validation:Maximum=9")},
	"kubebuilder:validation:MultipleOf":       {served("+kubebuilder:validation:MultipleOf=2")},
	"kubebuilder:validation:Enum":             {served("+kubebuilder:validation:Enum=a;b"), served("+kubebuilder:validation:Enum=1;2")},
	"kubebuilder:validation:Required":         {served("+kubebuilder:validation:Required", "package: +kubebuilder:validation:Optional")},
	"kubebuilder:validation:Required package": {served("+kubebuilder:validation:Required")},
	"kubebuilder:validation:Required file":    {served("+kubebuilder:validation:Required")},
	"kubebuilder:validation:XValidation":      {served(`+kubebuilder:validation:XValidation:rule="self == self"`)},
	"kubebuilder:validation:OneOf":            {served("+kubebuilder:validation:OneOf=secret;configMap")},
	"kubebuilder:validation:Type":             {served("+kubebuilder:validation:Type=string"), served("+kubebuilder:validation:Type=object")},

	"kubebuilder:validation:items:Enum":             {served("+kubebuilder:validation:items:Enum=a;b")},
	"kubebuilder:validation:items:Minimum":          {served("+kubebuilder:validation:items:Minimum=0")},
	"kubebuilder:validation:items:Maximum":          {served("+kubebuilder:validation:items:Maximum=9")},
	"kubebuilder:validation:items:ExclusiveMinimum": {served("+kubebuilder:validation:items:ExclusiveMinimum=true", "beside: +kubebuilder:validation:items:Minimum=0")},
	"kubebuilder:validation:items:ExclusiveMaximum": {served("+kubebuilder:validation:items:ExclusiveMaximum=true", "beside: +kubebuilder:validation:items:Maximum=9")},
	"kubebuilder:validation:items:MultipleOf":       {served("+kubebuilder:validation:items:MultipleOf=2")},
	"kubebuilder:validation:items:Format":           {served("+kubebuilder:validation:items:Format=date-time")},
	"kubebuilder:validation:items:XValidation":      {served(`+kubebuilder:validation:items:XValidation:rule="self == self"`)},

	"protobuf":                    {served("+protobuf=false", "package: +k8s:protobuf-gen=package"), plain("+protobuf=true")},
	"protobuf.nullable":           {served("+protobuf.nullable=true", "package: +k8s:protobuf-gen=package")},
	"protobuf.as":                 {served("+protobuf.as=Item", "package: +k8s:protobuf-gen=package")},
	"protobuf.embed":              {served("+protobuf.embed=string", "package: +k8s:protobuf-gen=package")},
	"protobuf.options.marshal":    {served("+protobuf.options.marshal=false", "package: +k8s:protobuf-gen=package")},
	"protobuf.options":            {served("+protobuf.options.(gogoproto.goproto_stringer)=false", "package: +k8s:protobuf-gen=package")},
	"protobuf.options.deprecated": {served("+protobuf.options.deprecated=true", "package: +k8s:protobuf-gen=package")},
}
