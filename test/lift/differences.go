package lift

import (
	"regexp"
	"slices"
)

// rule says which differences a reason is for. A regular expression that is "" matches everything;
// each matches from the beginning.
type rule struct {
	kinds, verbs, paths, differences string
	// converted is about versions that are not stored alone.
	converted bool
}

// ofClusterAPI are the kinds whose versions convert by functions in Go.
const ofClusterAPI = "Cluster.*|Machine.*|Kubeadm.*|IPAddress.*|ExtensionConfig"

// reasons are all why our server may judge in another way than the definition.
var reasons = []struct {
	reason string
	rules  []rule
}{
	{"A conversion that a project has written in Go prints the object of another version, and makes empty structs and texts of what was not sent, so these are not judged; the definition's side of this test has none.", []rule{
		{kinds: ofClusterAPI, differences: "another object", converted: true},
		{kinds: ofClusterAPI, paths: `(?s).*(set to (""|<nil>|map\[string\]interface {}{}|\[\]interface {}{})|taken out)`, differences: `accepted only here: (?s:.*)(should (be|have) at least|Required value|Unsupported value: "")`, converted: true},
		{kinds: "ExtensionConfig", paths: `spec\.clientConfig(\.url|\.service.*)? (taken out|set to map)`, differences: "(?s:.*)clientConfig.(url: Too short|service)", converted: true},
	}},
	{"What is written in an older version has to hold in the stored one, too: a kube-apiserver looks at that when somebody writes the object again.", []rule{
		{kinds: ofClusterAPI, differences: "refused only here: (?s:.*)by the rules of", converted: true},
	}},
	{"A value has to be one that its Go type can read, or no client in Go could; the definition takes more.", []rule{
		{differences: "refused (only here|with 400, not 422): (?s:.*)time: (invalid|missing|unknown)"},
		{kinds: "Kubeadm.*", differences: "refused only here: (?s:.*)the bootstrap token"},
		{kinds: "ClusterClass", differences: `refused only here: (?s:.*)schema\.openAPIV3Schema\.(?s:.*)must be of type`},
		{kinds: "ClusterClass", differences: `refused only here: (?s:.*)unknown field "(spec\.variables\[0\]|status\.variables\[0\]\.definitions\[0\])\.schema\.openAPIV3Schema\.`, converted: true},
	}},
	{"A status has to be one that can be read, also where it is not looked at.", []rule{
		{paths: "(?s:.*)status", differences: `refused only here: [^\[]* is invalid: status: (?s:.*)must be of type object`},
	}},
	{"The status is a subresource of a kind in all its versions, or in none.", []rule{
		{kinds: "BackendTLSPolicy", paths: "(?s:.*)status", differences: "accepted only here: (?s:.*)status.ancestors: Required value", converted: true},
	}},
	{"Of the fields of a struct those count that Go writes.", []rule{
		{differences: "refused only here: (?s:.*)Too few: 0: must have at least 1 item"},
	}},
	{"Of a field that is no pointer and has a default Go can't tell a zero that was sent: it is the default.", []rule{
		{kinds: "Gateway", paths: `(?s).*validation\.mode`, differences: "accepted only here: (?s:.*)mode: Unsupported value: \"\""},
		{kinds: "XMesh", verbs: "status", differences: "another object"}, // the status has one default, and its conditions another one
	}},
	{"What a type takes that reads itself its Go code says, and not the schema.", []rule{
		{kinds: "GatewayClass|XMesh", verbs: "status", paths: `(?s:.*)supportedFeatures`, differences: "accepted only here|refused with 422, not 400"},
	}},
	{"gateway-api adds rules with a generator of its own, from comments like <gateway:experimental:validation:…>.", []rule{
		{kinds: "Gateway|.*Route|XListenerSet", differences: "accepted only here: (?s:.*)(one and only one schema|or port must be (unique|specified)|sectionName must be specified|filter.cors must be nil|Rule name must be unique)"},
	}},
}

// reasonFor is why a difference may be, "" if it may not.
func reasonFor(f finding) string {
	for _, known := range reasons {
		if slices.ContainsFunc(known.rules, func(r rule) bool { return r.matches(f) }) {
			return known.reason
		}
	}
	return ""
}

func (r rule) matches(f finding) bool {
	begins := func(text, pattern string) bool { return regexp.MustCompile("^(" + pattern + ")").MatchString(text) }
	return begins(f.kind.Kind, r.kinds) && begins(f.verb, r.verbs) && begins(f.path+" "+f.what, r.paths) && begins(f.difference, r.differences) && !(r.converted && f.stored)
}
