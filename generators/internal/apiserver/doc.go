// Package apiserver writes zz_generated.apiserver.go: what joins the kinds of a module to a server.
//
// A main package asks for it with +typeplane:apiserver in its package comment. The kinds are those
// of the packages in the folders below it that say +groupName=: structs that embed TypeMeta and
// ObjectMeta and have a list type. Their markers say what the resource is called, which version is
// stored, which fields can be selected and what kubectl get shows. The methods of a type
// BookStrategy in the main package are the rules of kind Book. The file holds addToScheme, which
// declares every kind in every version, and newServer, which returns the value that typeplane.Main
// runs. It has one function each for the selectable fields and for the columns of a version, and
// says where those fields are in stored bytes. What other generators print beside a type in the
// same run (JSON, protobuf, deep copies, rules) is named there, where its tags ask for it.
//
// In a package that is not main the tag asks for the same as a part that programs may serve beside
// their own kinds. The exported function API, which returns it, takes the place of newServer. A
// package may have a function API of its own, since there is more to its kinds than how they are
// stored and served. Then the printed one is newAPI, for that function to call.
//
// An alias with markers is a kind too, if it stands for such a struct of another module: see
// package kind.
//
// The file zz_generated.fieldset.go beside it has functions that compare objects for the tracking
// of field ownership: see package fieldset.
//
// Start reading at plan: a server has hubs, a hub has versions. The package never looks into how
// types are converted, defaulted or encoded; it names the functions that the other generators
// print.
package apiserver

import (
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/fieldset"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tag"
)

// The file that is printed, and the name in its header.
const (
	fileName  = "zz_generated.apiserver.go"
	generator = "apiserver-gen"
)

// Plugin is the generator of servers.
func Plugin() generators.Plugin {
	return generators.Plugin{
		Name:    "apiserver",
		Doc:     "the server of a main package (zz_generated.apiserver.go): its kinds, versions, resources and strategies",
		Tags:    tags,
		Outputs: []emit.Output{{Name: fileName, Generator: generator}, fieldset.Output},
		Generate: func(pass *generators.Pass) {
			for _, s := range plan(pass) {
				emitServer(pass, s)
				fieldset.Generate(pass, s.pkg, s.compared())
			}
		},
	}
}

// The tags that this plug-in reads.
const (
	tagGroupName       = "groupName"
	tagVersionName     = "versionName"
	tagConversion      = "k8s:conversion-gen"
	tagResource        = "kubebuilder:resource"
	tagKeyPrefix       = "typeplane:key-prefix"
	tagExpires         = "typeplane:expires"
	tagStorageVersion  = "kubebuilder:storageversion"
	tagUnserved        = "kubebuilder:unservedversion"
	tagSkip            = "kubebuilder:skipversion"
	tagDeprecated      = "kubebuilder:deprecatedversion"
	tagSelectableField = "kubebuilder:selectablefield"
	tagNamedField      = "typeplane:selectablefield"
	tagStatus          = "kubebuilder:subresource:status"
	tagScale           = "kubebuilder:subresource:scale"
	tagSubresource     = "typeplane:subresource"
	tagPrintColumn     = "kubebuilder:printcolumn"
	tagNonNamespaced   = "genclient:nonNamespaced"
	tagJSON            = "typeplane:json-gen"
	tagProtobuf        = "k8s:protobuf-gen"
	tagMessage         = "protobuf"
	tagDeepCopy        = "k8s:deepcopy-gen"
	tagStoredRules     = "typeplane:validation:storage"
	tagOptionsOn       = "typeplane:validation:enabled"
	tagOptionsOff      = "typeplane:validation:disabled"
)

var tags = []tag.Definition{
	{Name: model.TagServer, Scope: tag.Package, Doc: "In the comment of a main package: generates newServer, the server of all kinds in the folders below. In that of another package: API, the same as a part of servers, or newAPI, if the package has a function API of its own."},
	{Name: tagGroupName, Scope: tag.Package, Value: tag.String, Doc: "The API group of the package's kinds."},
	{Name: tagVersionName, Scope: tag.Package, Value: tag.String, Doc: "The API version of the package's kinds, if it is not the name of the folder."},
	{Name: tagResource, Scope: tag.Type, Value: tag.Fields, Doc: "What a resource is called: path= (the plural), singular=, shortName=a;b, categories=a;b, and scope=Namespaced or Cluster. One of the versions is enough."},
	{Name: tagKeyPrefix, Scope: tag.Type, Value: tag.String, Example: "+typeplane:key-prefix=services/specs",
		Doc: "Where the objects lie in the database, below --etcd-prefix, instead of <group>/<resource>. Kinds of Kubernetes have a kube-apiserver's prefixes without it. One of the versions is enough. If it is changed, the next start moves the objects."},
	{Name: tagExpires, Scope: tag.Type, Value: tag.String, Example: "+typeplane:expires=.spec.until",
		Doc: "The path of a metav1.Time: soon after it an object is deleted, with what it owns, by a server whose program has a garbage collector (team.APIs or features.All). An object without the time stays. One of the versions is enough. What a path can't say is for a method Expires of the strategy."},
	{Name: tagStorageVersion, Scope: tag.Type, Doc: "New objects are stored in this version; without it in the best one: v1 before v1beta1 before v1alpha1."},
	{Name: tagUnserved, Scope: tag.Type, Doc: "The version is read from the store and not served."},
	{Name: tagSkip, Scope: tag.Type, Doc: "The type is no kind of the server."},
	{Name: tagDeprecated, Scope: tag.Type, Value: tag.Fields, Keys: []string{"warning"}, Doc: "Each answer in this version warns its client, with the words of warning=, or else with the best version to use instead."},
	{Name: tagSelectableField, Scope: tag.Type, Value: tag.Fields, Doc: "JSONPath= of a string, number or bool that field selectors may name, like .spec.isbn."},
	{Name: tagNamedField, Scope: tag.Type, Value: tag.Fields, Keys: []string{"name", "JSONPath"}, Example: "+typeplane:selectablefield:name=status.successful,JSONPath=.status.succeeded",
		Doc: "The same under another name than that of its path: name= is what field selectors say. The kind needs protobuf, and a CustomResourceDefinition can't have it."},
	{Name: tagStatus, Scope: tag.Type, Doc: "The status is a subresource: it is written at …/status, and only there. One of the versions is enough."},
	{Name: tagScale, Scope: tag.Type, Value: tag.Fields, Doc: "The kind can be scaled: specpath= and statuspath= of its numbers of replicas, like .spec.replicas, and selectorpath= of a string, a map of labels or a label selector."},
	{Name: tagSubresource, Scope: tag.Type, Value: tag.Fields, Keys: []string{"name", "methods", "below"}, Example: "+typeplane:subresource:name=restart",
		Doc: "The kind has a subresource of this name= in this version, which a method of its strategy answers: name=restart is Restart. The form of the method says what it is (registry.Getter, Action, Change, Part or Connector): it is read, is an action, changes the object, is part of it, or streams. One that streams may have methods=GET;POST, and with below=path it answers all paths below its own, with the rest in the option path."},
	{Name: tagPrintColumn, Scope: tag.Type, Value: tag.Fields, Doc: "A column of kubectl get besides the name: name=, type=string, integer, number, boolean or date, JSONPath=.spec.title, and perhaps description=, format= and priority=1 for -o wide. Without any a kind shows its age."},
	{Name: tagStoredRules, Scope: tag.Package | tag.Type, Value: tag.Bool, Example: "+typeplane:validation:storage=false",
		Doc: "Whether what is written through this version is judged by the rules of the version that is stored too, for the fields that both have. true unless it says false, on the kind, or else in the version's package comment. Kinds of Kubernetes never are, and a version without a written conversion is if it says true."},
	{Name: tagOptionsOn, Scope: tag.Type, Value: tag.String, Example: "+typeplane:validation:enabled=ScaleToZero;ColorPrint",
		Doc: "Options that rules with +k8s:ifEnabled or +k8s:ifDisabled depend on, and that are on, like the gates of Kubernetes' features. An option of which nothing is said is off, with a warning. One of the versions is enough. What depends on the object is for a method ValidationOptions of the strategy."},
	{Name: tagOptionsOff, Scope: tag.Type, Value: tag.String, Example: "+typeplane:validation:disabled=ScaleToZero",
		Doc: "Options of the rules that are off. One of the versions is enough."},
	{Name: tagNonNamespaced, Scope: tag.Type, Doc: "The same as +kubebuilder:resource:scope=Cluster."},
}
