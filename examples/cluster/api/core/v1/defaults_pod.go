package v1

import (
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/typeplane/typeplane/internal/quantity"
)

// SetDefaults_Pod does what is done for pods, and not for the templates of pods.
func SetDefaults_Pod(in *corev1.Pod) {
	setDefault(&in.Spec.EnableServiceLinks, true)
	if s := in.Spec.TerminationGracePeriodSeconds; s != nil && *s < 0 {
		*s = 1
	}
	// Who limits a resource and requests none of it requests as much.
	for _, containers := range [][]corev1.Container{in.Spec.InitContainers, in.Spec.Containers} {
		for i := range containers {
			requestLimits(&containers[i].Resources)
			if in.Spec.HostNetwork {
				useHostPorts(containers[i].Ports)
			}
		}
	}
}

func requestLimits(r *corev1.ResourceRequirements) {
	for name, limit := range r.Limits {
		if _, requested := r.Requests[name]; requested {
			continue
		}
		if r.Requests == nil {
			r.Requests = make(corev1.ResourceList, len(r.Limits))
		}
		r.Requests[name] = limit
	}
}

// SetDefaults_PodSpec fills in what every pod has. Its service account is in two fields, since
// clients of different ages write different ones; the newer one counts.
func SetDefaults_PodSpec(in *corev1.PodSpec) {
	if in.ServiceAccountName == "" {
		in.ServiceAccountName = in.DeprecatedServiceAccount
	}
	in.DeprecatedServiceAccount = in.ServiceAccountName
	if in.DNSPolicy == "" {
		in.DNSPolicy = corev1.DNSClusterFirst
	}
	if in.RestartPolicy == "" {
		in.RestartPolicy = corev1.RestartPolicyAlways
	}
	if in.SecurityContext == nil {
		in.SecurityContext = &corev1.PodSecurityContext{}
	}
	setDefault(&in.TerminationGracePeriodSeconds, corev1.DefaultTerminationGracePeriodSeconds)
	if in.SchedulerName == "" {
		in.SchedulerName = corev1.DefaultSchedulerName
	}
}

// SetDefaults_PodStatus has both fields with the addresses of a pod say the same. The older one
// counts.
func SetDefaults_PodStatus(in *corev1.PodStatus) {
	switch {
	case in.PodIP == "" && len(in.PodIPs) > 0:
		in.PodIP = in.PodIPs[0].IP
	case in.PodIP != "" && (len(in.PodIPs) == 0 || in.PodIPs[0].IP != in.PodIP):
		in.PodIPs = []corev1.PodIP{{IP: in.PodIP}}
	}
}

// useHostPorts gives ports of a pod in the host's network the only host port that they can have.
func useHostPorts(ports []corev1.ContainerPort) {
	for i := range ports {
		if ports[i].HostPort == 0 {
			ports[i].HostPort = ports[i].ContainerPort
		}
	}
}

// SetDefaults_Container decides by the image's tag how often it is pulled.
func SetDefaults_Container(in *corev1.Container) {
	if in.ImagePullPolicy == "" {
		in.ImagePullPolicy = pullPolicy(in.Image)
	}
	if in.TerminationMessagePath == "" {
		in.TerminationMessagePath = corev1.TerminationMessagePathDefault
	}
	if in.TerminationMessagePolicy == "" {
		in.TerminationMessagePolicy = corev1.TerminationMessageReadFile
	}
}

// SetDefaults_EphemeralContainerCommon is SetDefaults_Container for ephemeral containers.
func SetDefaults_EphemeralContainerCommon(in *corev1.EphemeralContainerCommon) {
	SetDefaults_Container((*corev1.Container)(in))
}

// imageName is what the name of an image looks like: a registry, a path, a tag and a digest.
var imageName = regexp.MustCompile(`^((` + label + `(\.` + label + `)*|\[[a-fA-F0-9:]+\])(:[0-9]+)?/)?` +
	element + `(/` + element + `)*(:\w[\w.-]{0,127})?(@(sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128}))?$`)

const label, element = `[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?`, `[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*`

// pullPolicy: what is called latest, or has no tag and no digest, may be another image each time.
// What is no name, like one that somebody fills in later, is not said to be.
func pullPolicy(image string) corev1.PullPolicy {
	name, _, hasDigest := strings.Cut(image, "@")
	folders := name[:strings.LastIndexByte(name, '/')+1] // a colon in there is of a port
	last, tag, hasTag := strings.Cut(name[len(folders):], ":")
	if (tag == "latest" || !hasTag && !hasDigest) && !tooLong(folders+last) && imageName.MatchString(image) {
		return corev1.PullAlways
	}
	return corev1.PullIfNotPresent
}

// longestPath is how many characters the path of an image may have in a registry. It is a rule of
// registries.
const longestPath = 255

// tooLong says whether a name without tag and digest has a path that no registry takes. What does
// not begin with a registry is of Docker's, where what has no folder is in one called library.
func tooLong(name string) bool {
	registry, path, ok := strings.Cut(name, "/")
	if !ok || registry != "localhost" && registry == strings.ToLower(registry) && !strings.ContainsAny(registry, ".:") {
		registry, path = "docker.io", name
	}
	if registry == "docker.io" && !strings.Contains(path, "/") {
		path = "library/" + path
	}
	return len(path) > longestPath
}

// SetDefaults_Probe says how patient a probe is.
func SetDefaults_Probe(in *corev1.Probe) {
	for _, d := range []struct {
		field *int32
		value int32
	}{{&in.TimeoutSeconds, 1}, {&in.PeriodSeconds, 10}, {&in.SuccessThreshold, 1}, {&in.FailureThreshold, 3}} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
}

// SetDefaults_HTTPGetAction asks for the root.
func SetDefaults_HTTPGetAction(in *corev1.HTTPGetAction) {
	if in.Path == "" {
		in.Path = "/"
	}
	if in.Scheme == "" {
		in.Scheme = corev1.URISchemeHTTP
	}
}

// SetDefaults_ObjectFieldSelector reads the field of a pod in this version.
func SetDefaults_ObjectFieldSelector(in *corev1.ObjectFieldSelector) {
	if in.APIVersion == "" {
		in.APIVersion = "v1"
	}
}

// SetDefaults_Volume makes a volume of no other kind an empty directory, and decides by an image's
// tag how often it is pulled.
func SetDefaults_Volume(in *corev1.Volume) {
	if in.VolumeSource == (corev1.VolumeSource{}) {
		in.EmptyDir = &corev1.EmptyDirVolumeSource{}
	}
	if in.Image != nil && in.Image.PullPolicy == "" {
		in.Image.PullPolicy = pullPolicy(in.Image.Reference)
	}
}

// SetDefaults_SecretVolumeSource lets the owner read and write.
func SetDefaults_SecretVolumeSource(in *corev1.SecretVolumeSource) {
	setDefault(&in.DefaultMode, corev1.SecretVolumeSourceDefaultMode)
}

// SetDefaults_ConfigMapVolumeSource is SetDefaults_SecretVolumeSource for config maps.
func SetDefaults_ConfigMapVolumeSource(in *corev1.ConfigMapVolumeSource) {
	setDefault(&in.DefaultMode, corev1.ConfigMapVolumeSourceDefaultMode)
}

// SetDefaults_DownwardAPIVolumeSource is SetDefaults_SecretVolumeSource for fields of the pod.
func SetDefaults_DownwardAPIVolumeSource(in *corev1.DownwardAPIVolumeSource) {
	setDefault(&in.DefaultMode, corev1.DownwardAPIVolumeSourceDefaultMode)
}

// SetDefaults_ProjectedVolumeSource is SetDefaults_SecretVolumeSource for volumes that are put
// together.
func SetDefaults_ProjectedVolumeSource(in *corev1.ProjectedVolumeSource) {
	setDefault(&in.DefaultMode, corev1.ProjectedVolumeSourceDefaultMode)
}

// SetDefaults_ServiceAccountTokenProjection lets a token live for an hour.
func SetDefaults_ServiceAccountTokenProjection(in *corev1.ServiceAccountTokenProjection) {
	setDefault(&in.ExpirationSeconds, 60*60)
}

// SetDefaults_HostPathVolumeSource checks nothing before it mounts.
func SetDefaults_HostPathVolumeSource(in *corev1.HostPathVolumeSource) {
	setDefault(&in.Type, corev1.HostPathUnset)
}

// SetDefaults_ResourceList counts as finely as the limits and quotas of the control plane do.
func SetDefaults_ResourceList(in *corev1.ResourceList) { quantity.RoundUp(*in) }

// setDefault sets a pointer that is nil.
func setDefault[T any](field **T, value T) {
	if *field == nil {
		*field = &value
	}
}
