package kuberules

import (
	"regexp"
	"slices"
)

// rule says which differences a reason is for. A regular expression that is "" matches everything; each matches from the beginning.
type rule struct {
	kinds, verbs, paths string
	// refused wants both to refuse the object: they differ in what they say is wrong.
	refused bool
}

// podSpec is where pods and templates of pods say what is to run.
const podSpec = `spec\.(template\.spec\.)?`

// differences are all that our server may judge in another way than a kube-apiserver, each group with its reason.
var differences = []struct {
	reason string
	rules  []rule
}{
	{"Of the sources of volumes, and of how containers mount them, examples/cluster judges names alone: a node that mounts them knows the rest.", []rule{
		{"Pod|ReplicationController|Deployment", "create|update", podSpec + `(volumes|(initC|c)ontainers.*\.(volumeMounts|volumeDevices))`, false},
	}},
	{"What a container may do on its node (security contexts, sysctls, the node's namespaces, overhead, runtime classes) is for whoever runs it.", []rule{
		{"Pod|ReplicationController|Deployment", "create|update", podSpec + `(.*\.securityContext|securityContext|hostIPC|hostPID|hostNetwork|hostUsers|os|overhead|runtimeClassName)`, false},
	}},
	{"Kinds that are not served: claims of devices, priority classes, groups of pods; their names in a pod mean nothing here.", []rule{
		{"Pod|ReplicationController|Deployment", "", podSpec + `(resourceClaims|schedulingGroup|evictionResponders|priorityClassName|preemptionPolicy|containers.*\.resources|schedulingGates)`, false},
		{"Pod", "status", `status\.(resourceClaimStatuses|extendedResourceClaimStatus|(initC|c)ontainerStatuses.*\.allocatedResourcesStatus)`, false},
	}},
	{"Subresources that are not served (resize, ephemeralcontainers) and the restart rules of single containers.", []rule{
		{"Pod|ReplicationController|Deployment", "create|update", podSpec + `(ephemeralContainers|(initC|c)ontainers.*\.(resizePolicy|restartPolicy|restartPolicyRules))`, false},
	}},
	{"What a kube-apiserver drops unread because its feature is off, or knows under an older name too, is a change here, and is judged.", []rule{
		{"Lease", "", `spec\.(strategy|preferredHolder)`, false},
		{"Pod|ReplicationController|Deployment", "", podSpec + `(containers.*\.(lifecycle|livenessProbe)|serviceAccount$|hostnameOverride)`, false},
	}},
	{"Both refuse a change of a pod that runs; a kube-apiserver also says what would be wrong with the new value.", []rule{
		{"Pod", "update", `spec`, true},
	}},
	{"Both refuse, or wave through, a name: a kube-apiserver says of some that they are too long, or of a container's fields more than one thing.", []rule{
		{"Pod|ReplicationController|Deployment", "", podSpec + `(serviceAccountName|containers(\[\d+\])?$|containers.*\.(env|ports))`, false},
	}},
	{"Volumes of drivers that the example does not know are a source and no more; of two sources a kube-apiserver judges each, or only the first.", []rule{
		{"PersistentVolume", "", `spec\.(awsElasticBlockStore|azureDisk|azureFile|cephfs|cinder|csi|fc|flexVolume|flocker|gcePersistentDisk|glusterfs|iscsi|local|nfs|photonPersistentDisk|portworxVolume|quobyte|rbd|scaleIO|storageos|vsphereVolume|volumeAttributesClassName|capacity)`, false},
	}},
	{"A kube-apiserver names a path that is not the field's (status.Phase, nodeAffinity without spec, a webhook's name for its namespace, no index), or says one fault at two paths.", []rule{
		{"Namespace", "", `spec\.finalizers|status\.phase`, true},
		{"Event", "", `eventTime|reportingComponent`, true},
		{"PersistentVolume", "update", `spec$|spec\.(nodeAffinity|volumeMode)`, true},
		{"PersistentVolumeClaim", "update", `spec\.(volumeMode|dataSource)`, true},
		{"(Mutating|Validating)WebhookConfiguration", "", `webhooks.*\.clientConfig`, true},
		{"ClusterRole", "", `aggregationRule\.clusterRoleSelectors`, true},
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

func matches(pattern, s string) bool {
	return pattern == "" || regexp.MustCompile("^(?:"+pattern+")").MatchString(s)
}
