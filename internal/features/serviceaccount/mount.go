package serviceaccount

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	utilrand "k8s.io/apimachinery/pkg/util/rand"
)

const (
	// tokenPath is where programs look for their token.
	tokenPath = "/var/run/secrets/kubernetes.io/serviceaccount"
	// tokenVolume begins the names of volumes with a token.
	tokenVolume = "kube-api-access-"
	// tokenSeconds is how long a token is good for: an hour, and a little more, by which servers
	// know tokens that were mounted like this.
	tokenSeconds = 60*60 + 7
	// rootCertificates is the ConfigMap with what a client needs to trust the server.
	rootCertificates = "kube-root-ca.crt"
)

// mountToken lets every container that has nothing at the token's path see the token there.
func mountToken(spec *corev1.PodSpec) {
	i := slices.IndexFunc(spec.Volumes, func(v corev1.Volume) bool { return strings.HasPrefix(v.Name, tokenVolume) })
	name := tokenVolume + utilrand.String(5)
	if i >= 0 {
		name = spec.Volumes[i].Name
	}
	mounted := false
	for _, containers := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for j := range containers {
			c := &containers[j]
			if slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == tokenPath }) {
				continue
			}
			c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: name, ReadOnly: true, MountPath: tokenPath})
			mounted = true
		}
	}
	if mounted && i < 0 {
		spec.Volumes = append(spec.Volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{Projected: tokenSource()}})
	}
}

// tokenSource is a directory with the token, the certificates of the server and the name of the
// namespace.
func tokenSource() *corev1.ProjectedVolumeSource {
	mode, seconds := corev1.ProjectedVolumeSourceDefaultMode, int64(tokenSeconds)
	return &corev1.ProjectedVolumeSource{
		DefaultMode: &mode,
		Sources: []corev1.VolumeProjection{
			{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token", ExpirationSeconds: &seconds}},
			{ConfigMap: &corev1.ConfigMapProjection{
				LocalObjectReference: corev1.LocalObjectReference{Name: rootCertificates},
				Items:                []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}},
			}},
			{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{
				{Path: "namespace", FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.namespace"}},
			}}},
		},
	}
}
