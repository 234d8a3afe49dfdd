package kuberules

import (
	"regexp"

	"github.com/typeplane/typeplane/test/kuberules/documents"
)

// off are the fields of features that are off in a kube-apiserver, which drops them unread: a kind,
// and a path. They are not changed.
var off = regexp.MustCompile(`\.(bindMountOptions|stopSignal|defaultUser|user|emptyDir\.mode|grpc\.mode|httpGet\.protocol|schedulingGroup|nodeAllocatableResources|healthStatus|storageHealth)\b` +
	`|^Lease spec\.(strategy|preferredHolder)$`)

// strategyDifferences are all fields in which our answer to a write may differ from that of a
// kube-apiserver, each group with its reason.
var strategyDifferences = []documents.Reason{
	{Why: "A node's configuration by the API was given up in 1.24; a kube-apiserver drops it.", Places: []string{`Node (spec\.configSource|status\.config)`, `Node warnings\.spec\.configSource: .*`}},
	{Why: "Nobody counts these kinds. A kube-apiserver keeps the number that a client makes up.", Places: []string{
		`(PersistentVolume|PersistentVolumeClaim|Namespace|Secret|ConfigMap|ServiceAccount|LimitRange|ResourceQuota|Event|Lease|StorageClass|Endpoints|Node|Service|ControllerRevision|CertificateSigningRequest|IPAddress|ServiceCIDR|RuntimeClass|ResourceClaim|ResourceClaimTemplate|CSINode|CSIStorageCapacity|VolumeAttachment|VolumeAttributesClass|Role|RoleBinding|ClusterRole|ClusterRoleBinding) metadata\.generation`,
	}},
	{Why: "A kube-apiserver says that each of these is the first, and does not count on.", Places: []string{`PriorityClass metadata\.generation`}},
	{Why: "A kube-apiserver begins to count with the first change.", Places: []string{`CSIDriver metadata\.generation`}},
	{Why: "What a service is given, and keeps when a client leaves it out, comes behind the strategy of a kube-apiserver, and is not compared.", Places: []string{
		`Service spec\.(clusterIPs?|ipFamilies|ipFamilyPolicy|ports\.nodePort|healthCheckNodePort)`,
	}},
	{Why: "A claim within a set is not asked what it is. A kube-apiserver says it for clients of before 1.17.", Places: []string{
		`StatefulSet spec\.volumeClaimTemplates\.(apiVersion|kind)`,
	}},
	{Why: "What v2 says and v1 can't is in an annotation of ours. A kube-apiserver has others, in which it also repeats the percentage that v1 has.", Places: []string{
		`HorizontalPodAutoscaler metadata\.annotations(\.autoscaling\.alpha\.kubernetes\.io/current-metrics)?`,
	}},
	{Why: "Services get addresses of one range, and know of no IPAddress objects. Who counts on these is warned.", Places: []string{
		`IPAddress warnings\.metadata\.name: the address is not kept .*`, `ServiceCIDR warnings\.spec\.cidrs: services get addresses of .*`,
	}},
	{Why: "Who says one profile of AppArmor in an annotation and in the field of the container is warned, too: what was copied is not told from what was sent.", Places: []string{
		`Pod warnings\.metadata\.annotations\[container\.apparmor\.security\.beta\.kubernetes\.io/(both|also)\]: deprecated .*`,
	}},
	{Why: "Of a replication controller that changes, a kube-apiserver judges the template as it was.", Places: []string{`ReplicationController warnings\.(spec\.template\.|volume ).*`}},
	{Why: "Who can't be told apart in a list owns nothing of it. Our server says so, and a kube-apiserver writes it to its log.", Places: []string{
		`.* warnings\.(metadata\.managedFields was left as it was|nobody is in metadata\.managedFields): .*`,
	}},
	{Why: "Of a stateful set that changes, a kube-apiserver names a field of claims that there is not.", Places: []string{`StatefulSet warnings\.spec\.volumeClaimTemplates\[0\]\.(Spec\.)?resources\..*`}},
	{Why: "The name that a client wanted is written with a status, which nobody reads any more.", Places: []string{`.* metadata\.generateName`}},
}
