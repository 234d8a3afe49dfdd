package tag

// clientTags are those of client-gen, lister-gen, informer-gen.
var clientTags = Section{
	Title: "Typed clients",
	Doc:   "Tags of client-gen. gen acts on them below a package with +typeplane:client; see clients-go.md.",
	Tags: []Definition{
		{Name: "genclient", Scope: Type, Doc: "Generates a typed client.", Example: "+genclient"},
		{Name: "genclient:nonNamespaced", Scope: Type, Doc: "The resource belongs to no namespace.",
			Example: "+genclient:nonNamespaced"},
		{Name: "genclient:noVerbs", Scope: Type, Doc: "The client has no methods."},
		{Name: "genclient:onlyVerbs", Scope: Type, Value: String, Doc: "The verbs of the client.",
			Example: "+genclient:onlyVerbs=create,get"},
		{Name: "genclient:skipVerbs", Scope: Type, Value: String, Doc: "Verbs that the client leaves out.",
			Example: "+genclient:skipVerbs=patch"},
		{Name: "genclient:noStatus", Scope: Type, Doc: "The client has no UpdateStatus."},
		{Name: "genclient:readonly", Scope: Type, Doc: "The client only reads."},
		{Name: "genclient:method", Scope: Type, Value: Any, Doc: "A further method of the client.",
			Example: "+genclient:method=GetScale,verb=get,subresource=scale,result=k8s.io/api/autoscaling/v1.Scale"},
		{Name: "resourceName", Scope: Type, Value: String, Doc: "The plural name of the resource.",
			Example: "+resourceName=shelves"},
	},
}
