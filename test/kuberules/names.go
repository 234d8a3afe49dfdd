package kuberules

import "regexp"

// misnamed are paths by which a kube-apiserver does not name the field that is wrong, or not
// always. All are put in its words before the two are compared, so that it still has to be the same
// fault.
var misnamed = []struct {
	kinds, ours, theirs string
}{
	// No index, or not the index of the item.
	{"", `(\.volumeMounts)\[\d+\](\.(?:subPath|subPathExpr|mountPropagation|recursiveReadOnly)):`, "$1$2:"},
	{"", `(\.downwardAPI)\.items\[\d+\]`, "$1"},
	{"", `(\.resizePolicy)\[\d+\]\.(?:resourceName|restartPolicy):`, "$1:"},
	// Another field than the one that is wrong.
	{"", `\.sources\[\d+\]\.serviceAccountToken\.path:`, ".path:"},
	{"", `\.sources\[\d+\]\..*(?:p|P)ath: (FieldValueInvalid)`, ": $1"},
	{"", `\.os\.name: (FieldValueNotSupported)`, ".os: $1"},
	{"", `(\.csi)\.nodePublishSecretRef\.name: (FieldValueInvalid)`, "$1.name: $2"},
	{"PersistentVolume", `spec\.(nodeAffinity|volumeMode): (FieldValueInvalid)`, "$1: $2"},
	{"Namespace", `status\.phase:`, "status.Phase:"},
	// Names that no field has.
	{"", `gcePersistentDisk\.`, "persistentDisk."},
	{"", `cephfs: (FieldValueForbidden)`, "cephFS: $1"},
	{"", `downwardAPI: (FieldValueForbidden)`, "downwarAPI: $1"},
	{"", `metadata\.uid:`, "metadata.uID:"},
	{"", `initiatorName:`, "initiatorname:"},
	{"PersistentVolume", `targetPortal: (FieldValueInvalid)`, "targetportal: $1"},
	{"", `\.hostPID: (FieldValueForbidden)`, ".HostPID: $1"},
	{"", `\.hostIPC: (FieldValueForbidden)`, ".HostIPC: $1"},
}

// inTheirWords is a cause as a kube-apiserver would name it.
func inTheirWords(kind, cause string) string {
	for _, m := range misnamed {
		if matches(m.kinds, kind) {
			cause = regexp.MustCompile(m.ours).ReplaceAllString(cause, m.theirs)
		}
	}
	return cause
}

func matches(pattern, s string) bool {
	return pattern == "" || regexp.MustCompile("^(?:"+pattern+")").MatchString(s)
}
