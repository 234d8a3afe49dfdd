// Package clients is what the plug-ins for typed clients have in common: which kinds get one, with
// which verbs, and where all of it goes.
//
// A package that says +typeplane:client asks for the clients of its own kinds and of those in the
// packages below it. Kinds take part that say +genclient, or that a server of the run serves. The
// tags, the names and the layout of folders are those of k8s.io/code-generator, so that who used
// its generators can switch. Four plug-ins print from the same plan: client, lister, informer and
// applyconfiguration.
//
// A plan has all packages below the one that asks, also those that the run does not name: a
// clientset without them would be another one.
//
// Start reading at Plan. The package prints nothing but the names of what is printed.
package clients

import "github.com/typeplane/typeplane/generators/internal/tag"

// The tags.
const (
	tagClient        = "typeplane:client"
	tagGen           = "genclient"
	tagNonNamespaced = tagGen + ":nonNamespaced"
	tagNoVerbs       = tagGen + ":noVerbs"
	tagNoStatus      = tagGen + ":noStatus"
	tagReadonly      = tagGen + ":readonly"
	tagOnlyVerbs     = tagGen + ":onlyVerbs"
	tagSkipVerbs     = tagGen + ":skipVerbs"
	tagMethod        = tagGen + ":method"
	tagResourceName  = "resourceName"
	tagGroupGoName   = "groupGoName"
	tagResource      = "kubebuilder:resource"
)

// Request is the tag that each of the plug-ins reads.
func Request() []tag.Definition {
	return []tag.Definition{
		{Name: tagClient, Scope: tag.Package, Value: tag.Fields, Keys: keys, Example: "+" + tagClient + ":dir=client",
			Doc: "Writes a clientset, listers, informers and apply configurations, as k8s.io/code-generator would, for the kinds of the package and of those below it that say +genclient or are served. They go into the folder client of the module, or the folder dir=; docs/clients-go.md has the other keys."},
	}
}

// ClientTags are those that say what is in a client: the plug-in of clients acts on them for all.
func ClientTags() []tag.Definition {
	return append(Request(),
		tag.Definition{Name: tagGen, Scope: tag.Type, Doc: "Below a package with +" + tagClient + ": the kind gets a typed client, a lister, an informer and an apply configuration. Elsewhere it is for client-gen."},
		tag.Definition{Name: tagNoVerbs, Scope: tag.Type, Doc: "The client has no methods but those that are added by hand."},
		tag.Definition{Name: tagOnlyVerbs, Scope: tag.Type, Value: tag.String, Doc: "The verbs of the client, of create, update, updateStatus, delete, deleteCollection, get, list, watch, patch, apply and applyStatus."},
		tag.Definition{Name: tagSkipVerbs, Scope: tag.Type, Value: tag.String, Doc: "Verbs that the client leaves out."},
		tag.Definition{Name: tagNoStatus, Scope: tag.Type, Doc: "The client has no UpdateStatus and no ApplyStatus, though the kind has a field Status."},
		tag.Definition{Name: tagReadonly, Scope: tag.Type, Doc: "The client only gets, lists and watches."},
		tag.Definition{Name: tagMethod, Scope: tag.Type, Value: tag.Any,
			Doc:     "A further method of the client. verb= is create, update, get, list, patch or apply; subresource= its path; input= and result= are other types than the kind itself.",
			Example: "+" + tagMethod + "=GetScale,verb=get,subresource=scale,result=k8s.io/api/autoscaling/v1.Scale"},
		tag.Definition{Name: tagResourceName, Scope: tag.Type, Value: tag.String, Doc: "The plural name of the resource in the paths that the client asks for, where it is not the usual plural."},
		tag.Definition{Name: tagGroupGoName, Scope: tag.Package, Value: tag.String, Doc: "The Go name of the group in clients; without it, the first part of the group's name."},
	)
}
