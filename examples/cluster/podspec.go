package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/apis/core"
	"github.com/typeplane/typeplane/registry/rest"
)

// validatePodSpec says what is wrong with a pod, or with a template of pods: whatever would keep every node from running
// it. What only some nodes would refuse is left to them.
func validatePodSpec(spec *corev1.PodSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	errs = append(errs, oneOf(path.Child("restartPolicy"), spec.RestartPolicy, corev1.RestartPolicyAlways, corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever)...)
	errs = append(errs, oneOf(path.Child("dnsPolicy"), spec.DNSPolicy, corev1.DNSClusterFirst, corev1.DNSClusterFirstWithHostNet, corev1.DNSDefault, corev1.DNSNone)...)
	if s := spec.ActiveDeadlineSeconds; s != nil && *s < 1 {
		errs = append(errs, field.Invalid(path.Child("activeDeadlineSeconds"), *s, "must be greater than 0"))
	}
	errs = append(errs, validateNames(spec, path)...)
	errs = append(errs, validateScheduling(spec, path)...)
	errs = append(errs, validateReadinessGates(spec.ReadinessGates, path.Child("readinessGates"))...)
	if spec.ServiceAccountName != "" {
		errs = append(errs, invalid(path.Child("serviceAccountName"), spec.ServiceAccountName, validation.IsDNS1123Subdomain(spec.ServiceAccountName))...)
	}

	volumes := map[string]bool{}
	for i, v := range rest.WhileFew(&errs, slices.All(spec.Volumes)) {
		errs = append(errs, uniqueLabel(path.Child("volumes").Index(i).Child("name"), v.Name, volumes)...)
	}
	if len(spec.Containers) == 0 {
		errs = append(errs, field.Required(path.Child("containers"), ""))
	}
	names := map[string]bool{}
	for _, list := range []struct {
		name       string
		containers []corev1.Container
	}{{"initContainers", spec.InitContainers}, {"containers", spec.Containers}} {
		for i := range rest.WhileFew(&errs, slices.All(list.containers)) {
			errs = append(errs, validateContainer(&list.containers[i], names, volumes, spec.TerminationGracePeriodSeconds, path.Child(list.name).Index(i))...)
		}
	}
	return errs
}

// validateContainer judges a container. names are those of the containers before it, and gets its own; grace is how long its pod
// has to end.
func validateContainer(c *corev1.Container, names, volumes map[string]bool, grace *int64, path *field.Path) field.ErrorList {
	errs := uniqueLabel(path.Child("name"), c.Name, names)
	switch image := path.Child("image"); {
	case c.Image == "":
		errs = append(errs, field.Required(image, ""))
	case c.Image != strings.TrimSpace(c.Image):
		errs = append(errs, field.Invalid(image, c.Image, "must not have leading or trailing whitespace"))
	}
	errs = append(errs, oneOf(path.Child("imagePullPolicy"), c.ImagePullPolicy, corev1.PullAlways, corev1.PullIfNotPresent, corev1.PullNever)...)
	errs = append(errs, oneOf(path.Child("terminationMessagePolicy"), c.TerminationMessagePolicy, corev1.TerminationMessageReadFile, corev1.TerminationMessageFallbackToLogsOnError)...)
	errs = append(errs, validatePorts(c.Ports, path.Child("ports"))...)
	errs = append(errs, validateEnv(c.Env, path.Child("env"))...)
	errs = append(errs, validateEnvFrom(c.EnvFrom, path.Child("envFrom"))...)
	errs = append(errs, validateProbes(c, grace, path)...)
	mounted := map[string]bool{}
	for i, m := range rest.WhileFew(&errs, slices.All(c.VolumeMounts)) {
		at := path.Child("volumeMounts").Index(i)
		switch {
		case m.Name == "":
			errs = append(errs, field.Required(at.Child("name"), ""))
		case !volumes[m.Name]:
			errs = append(errs, field.NotFound(at.Child("name"), m.Name))
		}
		switch {
		case m.MountPath == "":
			errs = append(errs, field.Required(at.Child("mountPath"), ""))
		case mounted[m.MountPath]:
			errs = append(errs, field.Invalid(at.Child("mountPath"), m.MountPath, "must be unique"))
		}
		mounted[m.MountPath] = true
	}
	return append(errs, validateResources(&c.Resources, path.Child("resources"))...)
}

func validatePorts(ports []corev1.ContainerPort, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	names := map[string]bool{}
	for i, p := range rest.WhileFew(&errs, slices.All(ports)) {
		at := path.Index(i)
		if p.Name != "" {
			errs = append(errs, invalid(at.Child("name"), p.Name, validation.IsValidPortName(p.Name))...)
			if names[p.Name] {
				errs = append(errs, field.Duplicate(at.Child("name"), p.Name))
			}
			names[p.Name] = true
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

func validateResources(r *corev1.ResourceRequirements, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, list := range []struct {
		name       string
		quantities corev1.ResourceList
	}{{"limits", r.Limits}, {"requests", r.Requests}} {
		for name, q := range rest.WhileFew(&errs, maps.All(list.quantities)) {
			at := path.Child(list.name).Key(string(name))
			errs = append(errs, core.ValidateContainerResource(at, name)...)
			if q.Sign() < 0 {
				errs = append(errs, field.Invalid(at, q.String(), "must be greater than or equal to 0"))
			}
			if limit, ok := r.Limits[name]; ok && list.name == "requests" && q.Cmp(limit) > 0 {
				errs = append(errs, field.Invalid(path.Child("requests"), q.String(), fmt.Sprintf("must be less than or equal to %s limit of %s", name, limit.String())))
			}
		}
	}
	slices.SortFunc(errs, func(a, b *field.Error) int { return strings.Compare(a.Field, b.Field) })
	return errs
}

// uniqueLabel judges a name that has to be a DNS label and none of seen, and adds it there.
func uniqueLabel(path *field.Path, name string, seen map[string]bool) field.ErrorList {
	switch {
	case name == "":
		return field.ErrorList{field.Required(path, "")}
	case seen[name]:
		return field.ErrorList{field.Duplicate(path, name)}
	}
	seen[name] = true
	return invalid(path, name, validation.IsDNS1123Label(name))
}

func invalid(path *field.Path, value any, messages []string) field.ErrorList {
	var errs field.ErrorList
	for _, m := range messages {
		errs = append(errs, field.Invalid(path, value, m))
	}
	return errs
}

func oneOf[T ~string](path *field.Path, value T, known ...T) field.ErrorList {
	if slices.Contains(known, value) {
		return nil
	}
	slices.Sort(known)
	return field.ErrorList{field.NotSupported(path, value, known)}
}

// atLeast judges a number that has a least one.
func atLeast[T int32 | int64](path *field.Path, value, least T) field.ErrorList {
	if value >= least {
		return nil
	}
	return field.ErrorList{field.Invalid(path, value, fmt.Sprintf("must be greater than or equal to %d", least))}
}
