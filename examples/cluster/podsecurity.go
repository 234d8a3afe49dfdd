package main

import (
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/rest"
)

// What a pod and its containers may do on their node.

// validatePodSecurity judges what holds for all containers of a pod, and which of the node's
// namespaces it shares.
func validatePodSecurity(spec *corev1.PodSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if s := spec.SecurityContext; s != nil {
		at := path.Child("securityContext")
		errs = append(errs, validateIDs(s.RunAsUser, s.RunAsGroup, at)...)
		errs = append(errs, validateGroup(at.Child("fsGroup"), s.FSGroup)...)
		for i, id := range rest.WhileFew(&errs, slices.All(s.SupplementalGroups)) {
			errs = append(errs, validateGroup(at.Child("supplementalGroups").Index(i), &id)...)
		}
		errs = append(errs, validateSysctls(spec, at.Child("sysctls"))...)
		errs = append(errs, oneOfIfSet(at.Child("fsGroupChangePolicy"), s.FSGroupChangePolicy, corev1.FSGroupChangeAlways, corev1.FSGroupChangeOnRootMismatch)...)
		errs = append(errs, oneOfIfSet(at.Child("supplementalGroupsPolicy"), s.SupplementalGroupsPolicy, corev1.SupplementalGroupsPolicyMerge, corev1.SupplementalGroupsPolicyStrict)...)
		errs = append(errs, oneOfIfSet(at.Child("seLinuxChangePolicy"), s.SELinuxChangePolicy, corev1.SELinuxChangePolicyMountOption, corev1.SELinuxChangePolicyRecursive)...)
		errs = append(errs, validateSeccomp(s.SeccompProfile, at.Child("seccompProfile"))...)
		errs = append(errs, validateAppArmor(s.AppArmorProfile, at.Child("appArmorProfile"))...)
		errs = append(errs, validateWindowsOptions(s.WindowsOptions, at.Child("windowsOptions"))...)
	}
	if spec.HostPID && spec.ShareProcessNamespace != nil && *spec.ShareProcessNamespace {
		errs = append(errs, field.Invalid(path.Child("shareProcessNamespace"), true, "ShareProcessNamespace and HostPID cannot both be enabled"))
	}
	if spec.HostUsers != nil && !*spec.HostUsers {
		for _, shared := range []part{{"hostNetwork", spec.HostNetwork}, {"hostPID", spec.HostPID}, {"hostIPC", spec.HostIPC}} {
			if shared.is {
				errs = append(errs, field.Forbidden(path.Child(shared.name), "when `hostUsers` is false"))
			}
		}
	}
	return errs
}

// validateContainerSecurity judges what holds for one container.
func validateContainerSecurity(s *corev1.SecurityContext, hostUsers bool, at *field.Path) field.ErrorList {
	if s == nil {
		return nil
	}
	errs := validateIDs(s.RunAsUser, s.RunAsGroup, at)
	errs = append(errs, oneOfIfSet(at.Child("procMount"), s.ProcMount, corev1.DefaultProcMount, corev1.UnmaskedProcMount)...)
	if hostUsers && s.ProcMount != nil && *s.ProcMount == corev1.UnmaskedProcMount {
		errs = append(errs, field.Invalid(at.Child("procMount"), *s.ProcMount, "`hostUsers` must be false to use `Unmasked`"))
	}
	if s.AllowPrivilegeEscalation != nil && !*s.AllowPrivilegeEscalation {
		if privileged(s) {
			errs = append(errs, field.Invalid(at, "", "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"))
		}
		if s.Capabilities != nil {
			for _, c := range s.Capabilities.Add {
				if c == "CAP_SYS_ADMIN" {
					errs = append(errs, field.Invalid(at, "", "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"))
				}
			}
		}
	}
	errs = append(errs, validateSeccomp(s.SeccompProfile, at.Child("seccompProfile"))...)
	errs = append(errs, validateAppArmor(s.AppArmorProfile, at.Child("appArmorProfile"))...)
	return append(errs, validateWindowsOptions(s.WindowsOptions, at.Child("windowsOptions"))...)
}

func privileged(s *corev1.SecurityContext) bool {
	return s != nil && s.Privileged != nil && *s.Privileged
}

func validateIDs(user, group *int64, at *field.Path) field.ErrorList {
	return append(validateUser(at.Child("runAsUser"), user), validateGroup(at.Child("runAsGroup"), group)...)
}

func validateGroup(at *field.Path, id *int64) field.ErrorList {
	if id == nil {
		return nil
	}
	return invalid(at, *id, validation.IsValidGroupID(*id))
}

// sysctlName is the form of the name of a parameter of the kernel, sysctl(8).
var sysctlName = regexp.MustCompile(`^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$`)

// validateSysctls judges parameters of the kernel. One of a namespace that the pod shares with its
// node would be the node's.
func validateSysctls(spec *corev1.PodSpec, path *field.Path) field.ErrorList {
	const longest = 253
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, s := range rest.WhileFew(&errs, slices.All(spec.SecurityContext.Sysctls)) {
		at := path.Index(i).Child("name")
		switch {
		case s.Name == "":
			errs = append(errs, field.Required(at, ""))
		case len(s.Name) > longest || !sysctlName.MatchString(s.Name):
			errs = append(errs, field.Invalid(at, s.Name, "must be the name of a sysctl of at most 253 characters, such as net.core.somaxconn"))
		case seen[s.Name]:
			errs = append(errs, field.Duplicate(at, s.Name))
		}
		seen[s.Name] = true
		dotted := strings.ReplaceAll(s.Name, "/", ".")
		switch {
		case spec.HostNetwork && strings.HasPrefix(dotted, "net."):
			errs = append(errs, field.Invalid(at, s.Name, "may not be specified when 'hostNetwork' is true"))
		case spec.HostIPC && (dotted == "kernel.sem" || strings.HasPrefix(dotted, "kernel.shm") || strings.HasPrefix(dotted, "kernel.msg") || strings.HasPrefix(dotted, "fs.mqueue.")):
			errs = append(errs, field.Invalid(at, s.Name, "may not be specified when 'hostIPC' is true"))
		}
	}
	return errs
}

func validateSeccomp(p *corev1.SeccompProfile, path *field.Path) field.ErrorList {
	if p == nil {
		return nil
	}
	at := path.Child("localhostProfile")
	errs := oneOfRequired(path.Child("type"), p.Type, corev1.SeccompProfileTypeLocalhost, corev1.SeccompProfileTypeRuntimeDefault, corev1.SeccompProfileTypeUnconfined)
	switch local := p.Type == corev1.SeccompProfileTypeLocalhost; {
	case local && p.LocalhostProfile == nil:
		errs = append(errs, field.Required(at, "must be set when seccomp type is Localhost"))
	case local:
		errs = append(errs, validateInside(at, *p.LocalhostProfile)...)
	case p.LocalhostProfile != nil:
		errs = append(errs, field.Invalid(at, *p.LocalhostProfile, "can only be set when seccomp type is Localhost"))
	}
	return errs
}

func validateAppArmor(p *corev1.AppArmorProfile, path *field.Path) field.ErrorList {
	if p == nil {
		return nil
	}
	const longest = 4095 // a path of Linux
	at, profile := path.Child("localhostProfile"), textOr(p.LocalhostProfile, "")
	errs := oneOfRequired(path.Child("type"), p.Type, corev1.AppArmorProfileTypeLocalhost, corev1.AppArmorProfileTypeRuntimeDefault, corev1.AppArmorProfileTypeUnconfined)
	switch local := p.Type == corev1.AppArmorProfileTypeLocalhost; {
	case len(errs) > 0:
	case local && profile == "":
		errs = append(errs, field.Required(at, "must be set when AppArmor type is Localhost"))
	case local && profile != strings.TrimSpace(profile):
		errs = append(errs, field.Invalid(at, profile, "must not be padded with whitespace"))
	case local && len(profile) > longest:
		errs = append(errs, field.TooLong(at, "", longest))
	case !local && p.LocalhostProfile != nil:
		errs = append(errs, field.Invalid(at, profile, "can only be set when AppArmor type is Localhost"))
	}
	return errs
}

func validateWindowsOptions(o *corev1.WindowsSecurityContextOptions, path *field.Path) field.ErrorList {
	const longest = 64 * 1024
	if o == nil {
		return nil
	}
	var errs field.ErrorList
	if name := o.GMSACredentialSpecName; name != nil {
		errs = append(errs, invalid(path.Child("gmsaCredentialSpecName"), *name, validation.IsDNS1123Subdomain(*name))...)
	}
	if spec := o.GMSACredentialSpec; spec != nil && (*spec == "" || len(*spec) > longest) {
		errs = append(errs, field.Invalid(path.Child("gmsaCredentialSpec"), len(*spec), "must have between 1 and 65536 bytes"))
	}
	if name := o.RunAsUserName; name != nil {
		errs = append(errs, validateWindowsUser(*name, path.Child("runAsUserName"))...)
	}
	return errs
}

// The two forms of a Windows domain: a name of NetBIOS, or one of DNS.
var (
	netBIOSDomain = regexp.MustCompile(`^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$`)
	dnsDomain     = regexp.MustCompile(`^[a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?$`)
)

// validateWindowsUser judges a user of Windows, with a domain and a backslash before him or
// without.
func validateWindowsUser(name string, at *field.Path) field.ErrorList {
	const longestDomain, longestUser = 255, 104
	domain, user, ok := strings.Cut(name, `\`)
	if !ok {
		domain, user = "", name
	}
	fault := ""
	switch {
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		fault = "must not contain control characters"
	case ok && (len(domain) > longestDomain || !netBIOSDomain.MatchString(domain) && !dnsDomain.MatchString(domain)):
		fault = "must have a domain of NetBIOS or DNS before the backslash"
	case strings.Trim(user, ". ") == "" || len(user) > longestUser:
		fault = "must have a user of at most 104 characters that are not only dots and spaces"
	case strings.ContainsAny(user, `"/\:;|=,+*?<>@[]`):
		fault = `must not contain any of "/\:;|=,+*?<>@[] in the user`
	default:
		return nil
	}
	return field.ErrorList{field.Invalid(at, name, fault)}
}

// validateOS judges what a pod says of its node's system: it must not ask for what belongs to the
// other system.
func validateOS(spec *corev1.PodSpec, path *field.Path) field.ErrorList {
	if spec.OS == nil {
		return nil
	}
	errs := oneOfRequired(path.Child("os", "name"), spec.OS.Name, corev1.Linux, corev1.Windows)
	if len(errs) > 0 {
		return errs
	}
	forbid := func(at *field.Path, parts ...part) {
		for _, p := range parts {
			if p.is {
				errs = append(errs, field.Forbidden(at.Child(p.name), "cannot be set for a "+string(spec.OS.Name)+" pod"))
			}
		}
	}
	pod, at := spec.SecurityContext, path.Child("securityContext")
	if pod == nil {
		pod = &corev1.PodSecurityContext{}
	}
	if spec.OS.Name == corev1.Windows {
		forbid(at,
			part{"appArmorProfile", pod.AppArmorProfile != nil}, part{"seLinuxOptions", pod.SELinuxOptions != nil}, part{"seccompProfile", pod.SeccompProfile != nil},
			part{"fsGroup", pod.FSGroup != nil}, part{"fsGroupChangePolicy", pod.FSGroupChangePolicy != nil}, part{"sysctls", len(pod.Sysctls) > 0},
			part{"runAsUser", pod.RunAsUser != nil}, part{"runAsGroup", pod.RunAsGroup != nil}, part{"supplementalGroups", pod.SupplementalGroups != nil},
			part{"supplementalGroupsPolicy", pod.SupplementalGroupsPolicy != nil}, part{"seLinuxChangePolicy", pod.SELinuxChangePolicy != nil})
		forbid(path,
			part{"hostUsers", spec.HostUsers != nil}, part{"hostPID", spec.HostPID}, part{"hostIPC", spec.HostIPC}, part{"shareProcessNamespace", spec.ShareProcessNamespace != nil},
			part{"resources", spec.Resources != nil})
	} else {
		forbid(at, part{"windowsOptions", pod.WindowsOptions != nil})
	}
	for at, c := range containersOfPod(spec, path) {
		s, at := c.SecurityContext, at.Child("securityContext")
		switch {
		case s == nil:
		case spec.OS.Name == corev1.Linux:
			forbid(at, part{"windowsOptions", s.WindowsOptions != nil})
		default:
			forbid(at,
				part{"appArmorProfile", s.AppArmorProfile != nil}, part{"seLinuxOptions", s.SELinuxOptions != nil}, part{"seccompProfile", s.SeccompProfile != nil},
				part{"capabilities", s.Capabilities != nil}, part{"readOnlyRootFilesystem", s.ReadOnlyRootFilesystem != nil}, part{"privileged", s.Privileged != nil},
				part{"allowPrivilegeEscalation", s.AllowPrivilegeEscalation != nil}, part{"procMount", s.ProcMount != nil},
				part{"runAsUser", s.RunAsUser != nil}, part{"runAsGroup", s.RunAsGroup != nil})
		}
	}
	return errs
}

// validateHostProcesses judges containers of Windows that are processes of their node: all of a pod
// are, in the node's network.
func validateHostProcesses(spec *corev1.PodSpec, path *field.Path) field.ErrorList {
	var ofPod *bool
	if s := spec.SecurityContext; s != nil && s.WindowsOptions != nil {
		ofPod = s.WindowsOptions.HostProcess
	}
	var errs field.ErrorList
	all, on := 0, 0
	for at, c := range containersOfPod(spec, path) {
		own := ofPod
		if s := c.SecurityContext; s != nil && s.WindowsOptions != nil && s.WindowsOptions.HostProcess != nil {
			own = s.WindowsOptions.HostProcess
		}
		if ofPod != nil && *own != *ofPod {
			errs = append(errs, field.Invalid(at.Child("securityContext", "windowsOptions", "hostProcess"), *own, "must be that of the pod if both are specified"))
		}
		all++
		if own != nil && *own {
			on++
		}
	}
	if on == 0 {
		return errs
	}
	if on != all {
		errs = append(errs, field.Invalid(path, "", "If pod contains any hostProcess containers then all containers must be HostProcess containers"))
	}
	if !spec.HostNetwork {
		errs = append(errs, field.Invalid(path.Child("hostNetwork"), false, "hostNetwork must be true if pod contains any hostProcess containers"))
	}
	return errs
}

// validateRuntime judges by what a pod is run, and what that takes.
func validateRuntime(spec *corev1.PodSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if name := spec.RuntimeClassName; name != nil {
		errs = append(errs, invalid(path.Child("runtimeClassName"), *name, apivalidation.NameIsDNSSubdomain(*name, false))...)
	}
	return append(errs, validateResources(&corev1.ResourceRequirements{Limits: spec.Overhead}, path.Child("overhead"))...)
}
