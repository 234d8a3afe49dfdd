package main

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/rest"
)

// The containers of a pod.

// containersOfPod are all containers of a pod with their paths.
func containersOfPod(spec *corev1.PodSpec, path *field.Path) iter.Seq2[*field.Path, *corev1.Container] {
	return func(yield func(*field.Path, *corev1.Container) bool) {
		for _, list := range []struct {
			name string
			all  []corev1.Container
		}{{"initContainers", spec.InitContainers}, {"containers", spec.Containers}} {
			for i := range list.all {
				if !yield(path.Child(list.name).Index(i), &list.all[i]) {
					return
				}
			}
		}
		for i := range spec.EphemeralContainers {
			if !yield(path.Child("ephemeralContainers").Index(i), (*corev1.Container)(&spec.EphemeralContainers[i].EphemeralContainerCommon)) {
				return
			}
		}
	}
}

// containerRules judges the containers of one pod, or of one template.
type containerRules struct {
	spec    *corev1.PodSpec
	volumes map[string]*corev1.VolumeSource // those that can be mounted
	all     map[string]*corev1.VolumeSource // those that can't as well
	claims  map[string]bool                 // the devices of the pod
	pod     bool                            // this is no template
}

func newContainerRules(spec *corev1.PodSpec, volumes map[string]*corev1.VolumeSource, pod bool) containerRules {
	r := containerRules{spec: spec, volumes: volumes, all: map[string]*corev1.VolumeSource{}, claims: map[string]bool{}, pod: pod}
	for i := range spec.Volumes {
		r.all[spec.Volumes[i].Name] = &spec.Volumes[i].VolumeSource
	}
	for _, c := range spec.ResourceClaims {
		r.claims[c.Name] = true
	}
	return r
}

// validateContainers judges all containers of a pod. Their names are different; ports of the host
// belong to one of those that run at the same time.
func (r containerRules) validateContainers(path *field.Path) field.ErrorList {
	spec, grace := r.spec, r.spec.TerminationGracePeriodSeconds
	errs := required(path, part{"containers", len(spec.Containers) > 0})
	names, ports := map[string]bool{}, map[string]bool{}
	for i := range rest.WhileFew(&errs, slices.All(spec.Containers)) {
		c, at := &spec.Containers[i], path.Child("containers").Index(i)
		errs = append(errs, r.validateContainer(c, at)...)
		errs = append(errs, unique(at.Child("name"), c.Name, names)...)
		errs = append(errs, validateProbes(c, grace, at)...)
		errs = append(errs, validateRestarts(c, at)...)
		errs = append(errs, validateHostPorts(c.Ports, ports, at.Child("ports"))...)
	}
	for i := range rest.WhileFew(&errs, slices.All(spec.InitContainers)) {
		c, at := &spec.InitContainers[i], path.Child("initContainers").Index(i)
		errs = append(errs, r.validateContainer(c, at)...)
		errs = append(errs, unique(at.Child("name"), c.Name, names)...)
		errs = append(errs, validateInitContainer(c, grace, at)...)
		errs = append(errs, validateRestarts(c, at)...)
		errs = append(errs, validateHostPorts(c.Ports, map[string]bool{}, at.Child("ports"))...) // they run one after the other
	}
	return append(errs, r.validateEphemeralContainers(names, path.Child("ephemeralContainers"))...)
}

// validateContainer says what is wrong with a container, of whatever kind.
func (r containerRules) validateContainer(c *corev1.Container, path *field.Path) field.ErrorList {
	errs := append(label(path.Child("name"), c.Name), required(path, part{"image", c.Image != ""})...)
	if r.pod && c.Image != strings.TrimSpace(c.Image) {
		errs = append(errs, field.Invalid(path.Child("image"), c.Image, "must not have leading or trailing whitespace"))
	}
	errs = append(errs, validatePullPolicy(path.Child("imagePullPolicy"), c.ImagePullPolicy)...)
	errs = append(errs, oneOf(path.Child("terminationMessagePolicy"), c.TerminationMessagePolicy, corev1.TerminationMessageReadFile, corev1.TerminationMessageFallbackToLogsOnError)...)
	errs = append(errs, validatePorts(c.Ports, path.Child("ports"))...)
	errs = append(errs, validateEnv(c.Env, path.Child("env"))...)
	errs = append(errs, r.validateEnvFiles(c.Env, path.Child("env"))...)
	errs = append(errs, validateEnvFrom(c.EnvFrom, path.Child("envFrom"))...)
	errs = append(errs, validateMounts(c, r.volumes, path.Child("volumeMounts"))...)
	errs = append(errs, validateDevices(c, r.volumes, path.Child("volumeDevices"))...)
	errs = append(errs, validateResources(&c.Resources, path.Child("resources"))...)
	errs = append(errs, validateClaims(c.Resources.Claims, r.claims, path.Child("resources", "claims"))...)
	errs = append(errs, r.validateResize(c.ResizePolicy, path.Child("resizePolicy"))...)
	hostUsers := r.spec.HostUsers == nil || *r.spec.HostUsers
	if !hostUsers && len(c.VolumeDevices) > 0 {
		errs = append(errs, field.Forbidden(path.Child("volumeDevices"), "when `hostUsers` is false"))
	}
	return append(errs, validateContainerSecurity(c.SecurityContext, hostUsers, path.Child("securityContext"))...)
}

// validateInitContainer judges a container that begins before others. It is asked for its health
// only where it goes on beside them.
func validateInitContainer(c *corev1.Container, grace *int64, path *field.Path) field.ErrorList {
	if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
		return validateProbes(c, grace, path)
	}
	var errs field.ErrorList
	for _, p := range []part{
		{"lifecycle", c.Lifecycle != nil}, {"livenessProbe", c.LivenessProbe != nil}, {"readinessProbe", c.ReadinessProbe != nil}, {"startupProbe", c.StartupProbe != nil},
	} {
		if p.is {
			errs = append(errs, field.Forbidden(path.Child(p.name), "may not be set for init containers without restartPolicy=Always"))
		}
	}
	for i, p := range rest.WhileFew(&errs, slices.All(c.ResizePolicy)) {
		if p.RestartPolicy == corev1.RestartContainer {
			at := path.Child("resizePolicy").Index(i).Child("restartPolicy")
			errs = append(errs, field.Invalid(at, p.RestartPolicy, "must not be set to 'RestartContainer' for non-sidecar initContainers"))
		}
	}
	return errs
}

// validateEphemeralContainers judges containers that somebody adds to look at a pod: they have no
// part in what it does.
func (r containerRules) validateEphemeralContainers(names map[string]bool, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	lasting := map[string]bool{"": true}
	for name := range names {
		lasting[name] = true
	}
	for i := range rest.WhileFew(&errs, slices.All(r.spec.EphemeralContainers)) {
		c, at := (*corev1.Container)(&r.spec.EphemeralContainers[i].EphemeralContainerCommon), path.Index(i)
		errs = append(errs, r.validateContainer(c, at)...)
		errs = append(errs, unique(at.Child("name"), c.Name, names)...)
		if target := r.spec.EphemeralContainers[i].TargetContainerName; !lasting[target] {
			errs = append(errs, field.NotFound(at.Child("targetContainerName"), target))
		}
		for _, p := range []part{
			{"ports", c.Ports != nil}, {"livenessProbe", c.LivenessProbe != nil}, {"readinessProbe", c.ReadinessProbe != nil}, {"startupProbe", c.StartupProbe != nil},
			{"lifecycle", c.Lifecycle != nil}, {"restartPolicy", c.RestartPolicy != nil}, {"restartPolicyRules", c.RestartPolicyRules != nil},
			{"resources", len(c.Resources.Limits)+len(c.Resources.Requests)+len(c.Resources.Claims) > 0}, {"resizePolicy", c.ResizePolicy != nil},
		} {
			if p.is {
				errs = append(errs, field.Forbidden(at.Child(p.name), "cannot be set for an Ephemeral Container"))
			}
		}
		for j, m := range c.VolumeMounts {
			for _, p := range []part{{"subPath", m.SubPath != ""}, {"subPathExpr", m.SubPathExpr != ""}} {
				if p.is {
					errs = append(errs, field.Forbidden(at.Child("volumeMounts").Index(j).Child(p.name), "cannot be set for an Ephemeral Container"))
				}
			}
		}
	}
	return errs
}

// validateRestarts judges when a container that ended begins again, where it does not do as its pod
// says.
func validateRestarts(c *corev1.Container, path *field.Path) field.ErrorList {
	const mostRules, mostCodes = 20, 255
	errs := oneOfIfSet(path.Child("restartPolicy"), c.RestartPolicy, corev1.ContainerRestartPolicyAlways, corev1.ContainerRestartPolicyNever, corev1.ContainerRestartPolicyOnFailure)
	if c.RestartPolicy == nil && len(c.RestartPolicyRules) > 0 {
		errs = append(errs, field.Required(path.Child("restartPolicy"), "must specify restartPolicy when restart rules are used"))
	}
	rules := path.Child("restartPolicyRules")
	if len(c.RestartPolicyRules) > mostRules {
		errs = append(errs, field.TooMany(rules, len(c.RestartPolicyRules), mostRules))
	}
	for i, rule := range rest.WhileFew(&errs, slices.All(c.RestartPolicyRules)) {
		at := rules.Index(i)
		errs = append(errs, oneOf(at.Child("action"), rule.Action, corev1.ContainerRestartRuleActionRestart, corev1.ContainerRestartRuleActionRestartAllContainers)...)
		if rule.ExitCodes == nil {
			errs = append(errs, field.Required(at.Child("exitCodes"), "must be specified"))
			continue
		}
		codes := at.Child("exitCodes")
		errs = append(errs, oneOf(codes.Child("operator"), rule.ExitCodes.Operator, corev1.ContainerRestartRuleOnExitCodesOpIn, corev1.ContainerRestartRuleOnExitCodesOpNotIn)...)
		if len(rule.ExitCodes.Values) > mostCodes {
			errs = append(errs, field.TooMany(codes.Child("values"), len(rule.ExitCodes.Values), mostCodes))
		}
	}
	return errs
}

// validateResize judges what happens to a container that gets more or less of a resource.
func (r containerRules) validateResize(policies []corev1.ContainerResizePolicy, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	seen := map[corev1.ResourceName]bool{}
	for i, p := range rest.WhileFew(&errs, slices.All(policies)) {
		at := path.Index(i)
		if seen[p.ResourceName] {
			errs = append(errs, field.Duplicate(at, p.ResourceName))
		}
		seen[p.ResourceName] = true
		errs = append(errs, oneOfRequired(at.Child("resourceName"), p.ResourceName, corev1.ResourceCPU, corev1.ResourceMemory)...)
		errs = append(errs, oneOfRequired(at.Child("restartPolicy"), p.RestartPolicy, corev1.NotRequired, corev1.RestartContainer)...)
		if r.spec.RestartPolicy == corev1.RestartPolicyNever && p.RestartPolicy != corev1.NotRequired {
			errs = append(errs, field.Invalid(at.Child("restartPolicy"), p.RestartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"))
		}
	}
	return errs
}

// validateEnvFiles judges variables that are read from files: these lie in an empty directory of
// the pod.
func (r containerRules) validateEnvFiles(env []corev1.EnvVar, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, v := range rest.WhileFew(&errs, slices.All(env)) {
		if v.ValueFrom == nil || v.ValueFrom.FileKeyRef == nil {
			continue
		}
		name, at := v.ValueFrom.FileKeyRef.VolumeName, path.Index(i).Child("valueFrom", "fileKeyRef", "volumeName")
		switch volume := r.all[name]; {
		case volume == nil:
			errs = append(errs, field.NotFound(at, name))
		case volume.EmptyDir == nil:
			errs = append(errs, field.Invalid(at, name, "referenced volume must be of type emptyDir"))
		}
	}
	return errs
}

func validatePorts(ports []corev1.ContainerPort, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	names := map[string]bool{}
	for i, p := range rest.WhileFew(&errs, slices.All(ports)) {
		at := path.Index(i)
		if p.Name != "" {
			if faults := validation.IsValidPortName(p.Name); len(faults) > 0 {
				errs = append(errs, invalid(at.Child("name"), p.Name, faults)...)
			} else {
				errs = append(errs, unique(at.Child("name"), p.Name, names)...)
			}
		}
		if p.ContainerPort == 0 {
			errs = append(errs, field.Required(at.Child("containerPort"), ""))
		} else {
			errs = append(errs, invalid(at.Child("containerPort"), p.ContainerPort, validation.IsValidPortNum(int(p.ContainerPort)))...)
		}
		if p.HostPort != 0 {
			errs = append(errs, invalid(at.Child("hostPort"), p.HostPort, validation.IsValidPortNum(int(p.HostPort)))...)
		}
		errs = append(errs, oneOf(at.Child("protocol"), p.Protocol, corev1.ProtocolTCP, corev1.ProtocolUDP, corev1.ProtocolSCTP)...)
	}
	return errs
}

// validateHostPorts judges ports of the node. Those in taken are somebody else's; the container's
// own are added.
func validateHostPorts(ports []corev1.ContainerPort, taken map[string]bool, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, p := range rest.WhileFew(&errs, slices.All(ports)) {
		if p.HostPort != 0 {
			port := strings.Join([]string{string(p.Protocol), p.HostIP, strconv.Itoa(int(p.HostPort))}, "/")
			errs = append(errs, unique(path.Index(i).Child("hostPort"), port, taken)...)
		}
	}
	return errs
}

// validateHostNetwork judges ports in the node's network, which are the node's ports. In a template
// they may be left out.
func (r containerRules) validateHostNetwork(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if !r.spec.HostNetwork {
		return nil
	}
	for i, c := range rest.WhileFew(&errs, slices.All(r.spec.Containers)) {
		for j, p := range rest.WhileFew(&errs, slices.All(c.Ports)) {
			if p.HostPort != p.ContainerPort && (r.pod || p.HostPort != 0) {
				at := path.Child("containers").Index(i).Child("ports").Index(j).Child("hostPort")
				errs = append(errs, field.Invalid(at, p.HostPort, "must match `containerPort` when `hostNetwork` is true"))
			}
		}
	}
	return errs
}
