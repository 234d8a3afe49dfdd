package defaults

import (
	"regexp"
	"slices"
	"testing"
)

// place is a field of some kinds. Both are regular expressions that match the whole.
type place struct{ kinds, path string }

// differences are all fields in which our answer may differ from that of a kube-apiserver, each
// group with its reason.
var differences = []struct {
	reason string
	places []place
}{
	{"A count of templates that nobody has counted yet: the strategy of daemon sets does (workload.go).", []place{
		{"DaemonSet", `metadata\.annotations(\.deprecated\.daemonset\.template\.generation)?`},
	}},
	{"A strategy that does not roll has no use for how. The internal types of a kube-apiserver have no word for none, and it says 0.", []place{
		{"DaemonSet|StatefulSet", `spec\.updateStrategy\.rollingUpdate\.(maxSurge|maxUnavailable|partition)`},
		{"Deployment", `spec\.strategy\.rollingUpdate\.(maxSurge|maxUnavailable)`},
	}},
	{"A claim within a set is not asked what it is. A kube-apiserver says it for clients of before 1.17.", []place{
		{"StatefulSet", `spec\.volumeClaimTemplates\.(apiVersion|kind)`},
	}},
	{"What v2 says and v1 can't is in an annotation of ours. A kube-apiserver has others, in which it also repeats the percentage that v1 has.", []place{
		{"HorizontalPodAutoscaler", `metadata\.annotations(\.autoscaling\.alpha\.kubernetes\.io/current-metrics)?`},
	}},
	{"A kube-apiserver says for each read when a device got its taint; here that is said once, when the taint is written (device.go).", []place{
		{"ResourceSlice|DeviceTaintRule", `spec\.(devices\.)?taints?\.timeAdded`},
	}},
}

// reasonFor is why a field may differ, "" if it may not.
func reasonFor(kind, path string) string {
	for _, d := range differences {
		if slices.ContainsFunc(d.places, func(p place) bool { return whole(p.kinds, kind) && whole(p.path, path) }) {
			return d.reason
		}
	}
	return ""
}

func whole(pattern, s string) bool { return regexp.MustCompile("^(?:" + pattern + ")$").MatchString(s) }

// needed fails for each reason that no difference has.
func needed(t *testing.T, used map[string]int) {
	t.Helper()
	for _, d := range differences {
		t.Logf("%4d: %s", used[d.reason], d.reason)
		if used[d.reason] == 0 {
			t.Errorf("no difference has this reason any more: %s", d.reason)
		}
	}
}
