package main

import (
	"fmt"
	"net"
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Where the data of volumes lie: the places that both a volume of a pod and a persistent volume can
// be in.

// validatePlaces says whether a volume lies in one place, and what is wrong with that.
func validatePlaces(places []way, at *field.Path) field.ErrorList {
	return validateWays(places, at, "may not specify more than 1 volume type", "must specify a volume type")
}

// validateDisk judges a disk of a cloud, and which part of it is meant.
func validateDisk(at *field.Path, id part, partition int32) field.ErrorList {
	return append(required(at, id), within(at.Child("partition"), partition, 0, 255)...)
}

func validateHostPath(h *corev1.HostPathVolumeSource, at *field.Path) field.ErrorList {
	if h.Path == "" {
		return field.ErrorList{field.Required(at.Child("path"), "")}
	}
	errs := validateNoBacksteps(at.Child("path"), h.Path)
	if h.Type == nil {
		return errs
	}
	return append(errs, oneOf(at.Child("type"), *h.Type, corev1.HostPathUnset, corev1.HostPathDirectoryOrCreate, corev1.HostPathDirectory,
		corev1.HostPathFileOrCreate, corev1.HostPathFile, corev1.HostPathSocket, corev1.HostPathCharDev, corev1.HostPathBlockDev)...)
}

func validateNFS(nfs *corev1.NFSVolumeSource, at *field.Path) field.ErrorList {
	errs := required(at, part{"server", nfs.Server != ""}, part{"path", nfs.Path != ""})
	if !strings.HasPrefix(nfs.Path, "/") {
		errs = append(errs, field.Invalid(at.Child("path"), nfs.Path, "must be an absolute path"))
	}
	return errs
}

func validateFlocker(f *corev1.FlockerVolumeSource, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	switch {
	case f.DatasetName == "" && f.DatasetUUID == "":
		errs = append(errs, field.Required(at, "one of datasetName and datasetUUID is required"))
	case f.DatasetName != "" && f.DatasetUUID != "":
		errs = append(errs, field.Invalid(at, f.DatasetName, "datasetName and datasetUUID can not be specified simultaneously"))
	}
	if strings.Contains(f.DatasetName, "/") {
		errs = append(errs, field.Invalid(at.Child("datasetName"), f.DatasetName, "must not contain '/'"))
	}
	return errs
}

// validateQuobyte judges the addresses of a registry, separated by commas.
func validateQuobyte(q *corev1.QuobyteVolumeSource, at *field.Path) field.ErrorList {
	const addresses, longestTenant = "must be a host:port pair or multiple pairs separated by commas", 64
	var errs field.ErrorList
	switch {
	case q.Registry == "":
		errs = append(errs, field.Required(at.Child("registry"), addresses))
	case len(q.Tenant) > longestTenant:
		errs = append(errs, field.Required(at.Child("tenant"), fmt.Sprintf("must be a UUID and may not exceed a length of %d characters", longestTenant)))
	default:
		for address := range strings.SplitSeq(q.Registry, ",") {
			if _, _, err := net.SplitHostPort(address); err != nil {
				errs = append(errs, field.Invalid(at.Child("registry"), q.Registry, addresses))
				break // it is the same for each of a million
			}
		}
	}
	return append(errs, required(at, part{"volume", q.Volume != ""})...)
}

// iscsi is what volumes of pods and persistent ones say alike.
type iscsi struct {
	portal, iqn string
	lun         int32
	asks        bool    // it has a password
	initiator   *string // nil: the node's own
	secret      bool    // it says where the password is
}

// iscsiNames are the forms of the names of targets and initiators, by how they begin (RFC 3721).
var iscsiNames = map[string]*regexp.Regexp{
	"iqn": regexp.MustCompile(`^iqn\.\d{4}-\d{2}\.[[:alnum:].-]+:[^,;*&$|\s]+$`),
	"eui": regexp.MustCompile(`^eui.[[:alnum:]]{16}$`),
	"naa": regexp.MustCompile(`^naa.[[:alnum:]]{32}$`),
}

func validateISCSI(s iscsi, at *field.Path) field.ErrorList {
	errs := required(at, part{"targetPortal", s.portal != ""}, part{"iqn", s.iqn != ""})
	if s.iqn != "" {
		errs = append(errs, validateISCSIName(at.Child("iqn"), s.iqn)...)
	}
	errs = append(errs, within(at.Child("lun"), s.lun, 0, 255)...)
	if s.asks && !s.secret {
		errs = append(errs, field.Required(at.Child("secretRef"), ""))
	}
	if s.initiator != nil {
		errs = append(errs, validateISCSIName(at.Child("initiatorName"), *s.initiator)...)
	}
	return errs
}

func validateISCSIName(at *field.Path, name string) field.ErrorList {
	form := iscsiNames[name[:min(3, len(name))]]
	switch {
	case form == nil:
		return field.ErrorList{field.Invalid(at, name, "must begin with iqn, eui or naa")}
	case !form.MatchString(name):
		return field.ErrorList{field.Invalid(at, name, "must be a name like iqn.2001-04.com.example:storage, eui and 16 letters or digits, or naa and 32")}
	}
	return nil
}

// validateFC judges a disk behind fibre channel, which is found by its port and number or by its
// own name.
func validateFC(fc *corev1.FCVolumeSource, at *field.Path) field.ErrorList {
	ports := at.Child("targetWWNs")
	var errs field.ErrorList
	switch {
	case len(fc.TargetWWNs) == 0 && len(fc.WWIDs) == 0:
		errs = append(errs, field.Required(ports, "must specify either targetWWNs or wwids, but not both"))
	case len(fc.TargetWWNs) > 0 && len(fc.WWIDs) > 0:
		errs = append(errs, field.Invalid(ports, fc.TargetWWNs, "targetWWNs and wwids can not be specified simultaneously"))
	}
	switch {
	case len(fc.TargetWWNs) == 0:
	case fc.Lun == nil:
		errs = append(errs, field.Required(at.Child("lun"), "lun is required if targetWWNs is specified"))
	default:
		errs = append(errs, within(at.Child("lun"), *fc.Lun, 0, 255)...)
	}
	return errs
}

// validateFlex judges a volume of a driver on the node. Options of Kubernetes' own names are not
// for users.
func validateFlex(driver string, options map[string]string, at *field.Path) field.ErrorList {
	errs := required(at, part{"driver", driver != ""})
	for name := range options {
		domain, _, _ := strings.Cut(name, "/")
		domain = "." + strings.ToLower(domain)
		if strings.HasSuffix(domain, ".kubernetes.io") || strings.HasSuffix(domain, ".k8s.io") {
			errs = append(errs, field.Invalid(at.Child("options").Key(name), name, "kubernetes.io and k8s.io namespaces are reserved"))
		}
	}
	return errs
}

func validateAzureDisk(d *corev1.AzureDiskVolumeSource, at *field.Path) field.ErrorList {
	errs := required(at, part{"diskName", d.DiskName != ""}, part{"diskURI", d.DataDiskURI != ""})
	if d.CachingMode != nil {
		errs = append(errs, oneOf(at.Child("cachingMode"), *d.CachingMode,
			corev1.AzureDataDiskCachingNone, corev1.AzureDataDiskCachingReadOnly, corev1.AzureDataDiskCachingReadWrite)...)
	}
	if d.Kind == nil {
		return errs
	}
	errs = append(errs, oneOf(at.Child("kind"), *d.Kind, corev1.AzureSharedBlobDisk, corev1.AzureDedicatedBlobDisk, corev1.AzureManagedDisk)...)
	form := "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"
	if *d.Kind == corev1.AzureManagedDisk {
		form = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"
	}
	if start, _, _ := strings.Cut(form, "{"); !strings.HasPrefix(d.DataDiskURI, start) {
		errs = append(errs, field.NotSupported(at.Child("diskURI"), d.DataDiskURI, []string{form}))
	}
	return errs
}

func validateStorageOS(volume, namespace string, at *field.Path) field.ErrorList {
	errs := required(at, part{"volumeName", volume != ""})
	for _, p := range []struct{ name, value string }{{"volumeName", volume}, {"volumeNamespace", namespace}} {
		if p.value != "" {
			errs = append(errs, invalid(at.Child(p.name), p.value, utilvalidation.IsDNS1123Label(p.value))...)
		}
	}
	return errs
}

// validateDriver judges the name of a CSI driver.
func validateDriver(at *field.Path, name string) field.ErrorList {
	const longest = 63
	if name == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	errs := invalid(at, name, utilvalidation.IsDNS1123Subdomain(strings.ToLower(name)))
	if len(name) > longest {
		errs = append(errs, field.TooLong(at, "", longest))
	}
	return errs
}

// validateSecretName judges a reference to a secret in the namespace of who refers to it.
func validateSecretName(ref *corev1.LocalObjectReference, at *field.Path) field.ErrorList {
	if ref == nil {
		return nil
	}
	return required(at, part{"name", ref.Name != ""})
}

// validateSecretPlace judges a reference to a secret in any namespace.
func validateSecretPlace(ref *corev1.SecretReference, at *field.Path) field.ErrorList {
	if ref == nil {
		return nil
	}
	return required(at, part{"name", ref.Name != ""}, part{"namespace", ref.Namespace != ""})
}

// validateSecretReference judges a secret that a driver needs: it lies in any namespace.
func validateSecretReference(ref *corev1.SecretReference, at *field.Path) field.ErrorList {
	errs := validateSecretPlace(ref, at)
	if ref == nil {
		return nil
	}
	if ref.Name != "" {
		errs = append(errs, invalid(at.Child("name"), ref.Name, validation.NameIsDNSSubdomain(ref.Name, false))...)
	}
	if ref.Namespace != "" {
		errs = append(errs, invalid(at.Child("namespace"), ref.Namespace, utilvalidation.IsDNS1123Label(ref.Namespace))...)
	}
	return errs
}

// validateNoBacksteps judges a path that does not lead out of where it begins.
func validateNoBacksteps(at *field.Path, p string) field.ErrorList {
	for name := range strings.SplitSeq(p, "/") {
		if name == ".." {
			return field.ErrorList{field.Invalid(at, p, "must not contain '..'")}
		}
	}
	return nil
}

// validateInside judges a path of something in a volume.
func validateInside(at *field.Path, p string) field.ErrorList {
	errs := validateNoBacksteps(at, p)
	if strings.HasPrefix(p, "/") {
		errs = append(errs, field.Invalid(at, p, "must be a relative path"))
	}
	return errs
}

// validateWritten judges a path that the node writes to, which keeps names that begin with two dots
// for itself.
func validateWritten(at *field.Path, p string) field.ErrorList {
	errs := validateInside(at, p)
	if strings.HasPrefix(p, "..") && !strings.HasPrefix(p, "../") {
		errs = append(errs, field.Invalid(at, p, "must not start with '..'"))
	}
	return errs
}
