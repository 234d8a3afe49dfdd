package defaults

import "github.com/typeplane/typeplane/test/kuberules/documents"

// differences are all fields in which our answer may differ from that of a kube-apiserver, each
// group with its reason.
var differences = []documents.Reason{
	{Why: "A count of templates that nobody has counted yet: the strategy of daemon sets does (workload.go).", Places: []string{
		`DaemonSet metadata\.annotations(\.deprecated\.daemonset\.template\.generation)?`,
	}},
	{Why: "A strategy that does not roll has no use for how. The internal types of a kube-apiserver have no word for none, and it says 0.", Places: []string{
		`(DaemonSet|StatefulSet) spec\.updateStrategy\.rollingUpdate\.(maxSurge|maxUnavailable|partition)`,
		`Deployment spec\.strategy\.rollingUpdate\.(maxSurge|maxUnavailable)`,
	}},
	{Why: "A claim within a set is not asked what it is. A kube-apiserver says it for clients of before 1.17.", Places: []string{
		`StatefulSet spec\.volumeClaimTemplates\.(apiVersion|kind)`,
	}},
	{Why: "What v2 says and v1 can't is in an annotation of ours. A kube-apiserver has others, in which it also repeats the percentage that v1 has.", Places: []string{
		`HorizontalPodAutoscaler metadata\.annotations(\.autoscaling\.alpha\.kubernetes\.io/current-metrics)?`,
	}},
	{Why: "A kube-apiserver says for each read when a device got its taint; here that is said once, when the taint is written (device.go).", Places: []string{
		`(ResourceSlice|DeviceTaintRule) spec\.(devices\.)?taints?\.timeAdded`,
	}},
}
