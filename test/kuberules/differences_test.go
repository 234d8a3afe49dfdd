package kuberules

import "slices"

// rule says which differences a reason is for. A regular expression that is "" matches everything;
// each matches from the beginning.
type rule struct {
	kinds, verbs, paths string
	// refused wants both to refuse the object: they differ in what they say is wrong.
	refused bool
}

// podKinds are the kinds with containers.
const podKinds = "Pod|ReplicationController|Deployment"

// podSpec is where pods and templates of pods say what is to run.
const podSpec = `spec\.(template\.spec\.)?`

// differences are all that our server may judge in another way than a kube-apiserver, each group
// with its reason.
var differences = []struct {
	reason string
	rules  []rule
}{
	{"What a kube-apiserver drops unread because its feature is off is a change here, and is judged.", []rule{
		{"Lease", "", `spec\.(strategy|preferredHolder)`, false},
		{podKinds, "", podSpec + `(.*\.(bindMountOptions|user|defaultUser|emptyDir\.mode|stopSignal|grpc\.mode|httpGet\.protocol)|evictionResponders|schedulingGroup)`, false},
		{"Pod", "status", `status\.(nodeAllocatableResourceClaimStatuses|volumeHealth)`, false},
	}},
	{"What nodes tell of devices is for kinds that are not served.", []rule{
		{"Pod", "status", `status\.(resourceClaimStatuses|extendedResourceClaimStatus|(initC|ephemeralC|c)ontainerStatuses.*\.allocatedResourcesStatus)`, false},
	}},
	{"Both refuse a change of a pod that runs; a kube-apiserver also says what would be wrong with the new value.", []rule{
		{"Pod", "update", `spec`, true},
	}},
	{"A kube-apiserver says one fault at two paths, or less than there is wrong, or names another field than the one that is wrong (a webhook's name for its namespace).", []rule{
		{"Namespace", "", `spec\.finalizers`, true},
		{podKinds, "", podSpec + `initContainers.*\.restartPolicyRules`, true},
		{"PersistentVolume", "", `spec\.flexVolume|spec\.nodeAffinity.*\.key`, true},
		{"Event", "", `eventTime|reportingComponent`, true},
		{"PersistentVolumeClaim", "update", `spec\.(volumeMode|dataSource)`, true},
		{"(Mutating|Validating)WebhookConfiguration", "", `webhooks.*\.clientConfig`, true},
		{"ClusterRole", "", `aggregationRule\.clusterRoleSelectors`, true},
	}},
	{"Expressions are compiled when nothing else is wrong: a kube-apiserver also says what can't be compiled then. It says twice, once without an index, which operations there are not.", []rule{
		{"(Mutating|Validating)AdmissionPolicy", "", `spec\.variables`, true},
		{"MutatingAdmissionPolicy(Binding)?", "", `spec\.match(Constraints|Resources)\.resourceRules.*\.operations`, true},
	}},
	{"A variable that is there twice, of which one would be hidden, and an empty name of an object are refused.", []rule{
		{"(Mutating|Validating)AdmissionPolicy", "", `spec\.variables`, false},
		{"(Mutating|Validating)AdmissionPolicy(Binding)?", "", `.*\.resourceNames`, false},
	}},
	{"The steps of a claim that grows are written by controllers that are not here.", []rule{
		{"PersistentVolumeClaim", "status", `status\.allocatedResource`, false},
	}},
	{"A term of allowedTopologies that says nothing is a duplicate of nothing for a kube-apiserver; here it is any place.", []rule{
		{"StorageClass", "", `allowedTopologies`, false},
	}},
}

// reasonFor is why a difference may be, "" if it may not.
func reasonFor(d difference) string {
	for _, known := range differences {
		if slices.ContainsFunc(known.rules, func(r rule) bool { return r.matches(d) }) {
			return known.reason
		}
	}
	return ""
}

func (r rule) matches(d difference) bool {
	if r.refused && (d.theirs.accepted || d.ours.accepted) {
		return false
	}
	return matches(r.kinds, d.kind.Kind) && matches(r.verbs, d.verb) && matches(r.paths, d.path)
}
