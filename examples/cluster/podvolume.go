package main

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/rest"
)

// What a pod has on its disks.

// validateVolumes judges the volumes of a pod, and returns those that containers can mount, by
// name. pod is its name, "" if it has none.
func validateVolumes(volumes []corev1.Volume, pod string, path *field.Path) (map[string]*corev1.VolumeSource, field.ErrorList) {
	good, made := map[string]*corev1.VolumeSource{}, map[string]bool{}
	for _, v := range volumes {
		if pod != "" && v.Ephemeral != nil {
			made[pod+"-"+v.Name] = true
		}
	}
	var errs field.ErrorList
	for i := range rest.WhileFew(&errs, slices.All(volumes)) {
		v, at := &volumes[i], path.Index(i)
		own := append(validatePodVolume(v, pod, at), label(at.Child("name"), v.Name)...)
		if good[v.Name] != nil {
			own = append(own, field.Duplicate(at.Child("name"), v.Name))
		}
		if len(own) == 0 {
			good[v.Name] = &v.VolumeSource
		}
		if claim := v.PersistentVolumeClaim; claim != nil && made[claim.ClaimName] {
			own = append(own, field.Invalid(at.Child("persistentVolumeClaim", "claimName"), claim.ClaimName, "must not reference a PVC that gets created for an ephemeral volume"))
		}
		errs = append(errs, own...)
	}
	return good, errs
}

// validatePodVolume says whether a volume of a pod lies in one place, and what is wrong with that.
func validatePodVolume(v *corev1.Volume, pod string, path *field.Path) field.ErrorList {
	return validatePlaces([]way{
		{"emptyDir", v.EmptyDir != nil, func(at *field.Path) field.ErrorList { return validateEmptyDir(v.EmptyDir, at) }},
		{"hostPath", v.HostPath != nil, func(at *field.Path) field.ErrorList { return validateHostPath(v.HostPath, at) }},
		{"gitRepo", v.GitRepo != nil, func(at *field.Path) field.ErrorList {
			return append(required(at, part{"repository", v.GitRepo.Repository != ""}), validateInside(at.Child("directory"), v.GitRepo.Directory)...)
		}},
		{"gcePersistentDisk", v.GCEPersistentDisk != nil, func(at *field.Path) field.ErrorList {
			return validateDisk(at, part{"pdName", v.GCEPersistentDisk.PDName != ""}, v.GCEPersistentDisk.Partition)
		}},
		{"awsElasticBlockStore", v.AWSElasticBlockStore != nil, func(at *field.Path) field.ErrorList {
			return validateDisk(at, part{"volumeID", v.AWSElasticBlockStore.VolumeID != ""}, v.AWSElasticBlockStore.Partition)
		}},
		{"secret", v.Secret != nil, func(at *field.Path) field.ErrorList {
			errs := append(required(at, part{"secretName", v.Secret.SecretName != ""}), validateFiles(v.Secret.DefaultMode, v.Secret.DefaultUser, at)...)
			return append(errs, validateKeys(v.Secret.Items, at.Child("items"))...)
		}},
		{"nfs", v.NFS != nil, func(at *field.Path) field.ErrorList { return validateNFS(v.NFS, at) }},
		{"iscsi", v.ISCSI != nil, func(at *field.Path) field.ErrorList { return validatePodISCSI(v, path) }},
		{"glusterfs", v.Glusterfs != nil, func(at *field.Path) field.ErrorList {
			return required(at, part{"endpoints", v.Glusterfs.EndpointsName != ""}, part{"path", v.Glusterfs.Path != ""})
		}},
		{"flocker", v.Flocker != nil, func(at *field.Path) field.ErrorList { return validateFlocker(v.Flocker, at) }},
		{"persistentVolumeClaim", v.PersistentVolumeClaim != nil, func(at *field.Path) field.ErrorList {
			return required(at, part{"claimName", v.PersistentVolumeClaim.ClaimName != ""})
		}},
		{"rbd", v.RBD != nil, func(at *field.Path) field.ErrorList {
			return required(at, part{"monitors", len(v.RBD.CephMonitors) > 0}, part{"image", v.RBD.RBDImage != ""})
		}},
		{"cinder", v.Cinder != nil, func(at *field.Path) field.ErrorList {
			return append(required(at, part{"volumeID", v.Cinder.VolumeID != ""}), validateSecretName(v.Cinder.SecretRef, at.Child("secretRef"))...)
		}},
		{"cephfs", v.CephFS != nil, func(at *field.Path) field.ErrorList {
			return required(at, part{"monitors", len(v.CephFS.Monitors) > 0})
		}},
		{"quobyte", v.Quobyte != nil, func(at *field.Path) field.ErrorList { return validateQuobyte(v.Quobyte, at) }},
		{"downwardAPI", v.DownwardAPI != nil, func(at *field.Path) field.ErrorList {
			errs := validateFiles(v.DownwardAPI.DefaultMode, v.DownwardAPI.DefaultUser, at)
			for i := range rest.WhileFew(&errs, slices.All(v.DownwardAPI.Items)) {
				errs = append(errs, validatePodFile(&v.DownwardAPI.Items[i], at.Child("items").Index(i))...)
			}
			return errs
		}},
		{"fc", v.FC != nil, func(at *field.Path) field.ErrorList { return validateFC(v.FC, at) }},
		{"flexVolume", v.FlexVolume != nil, func(at *field.Path) field.ErrorList {
			return validateFlex(v.FlexVolume.Driver, v.FlexVolume.Options, at)
		}},
		{"configMap", v.ConfigMap != nil, func(at *field.Path) field.ErrorList {
			errs := append(required(at, part{"name", v.ConfigMap.Name != ""}), validateFiles(v.ConfigMap.DefaultMode, v.ConfigMap.DefaultUser, at)...)
			return append(errs, validateKeys(v.ConfigMap.Items, at.Child("items"))...)
		}},
		{"azureFile", v.AzureFile != nil, func(at *field.Path) field.ErrorList {
			return required(at, part{"secretName", v.AzureFile.SecretName != ""}, part{"shareName", v.AzureFile.ShareName != ""})
		}},
		{"vsphereVolume", v.VsphereVolume != nil, func(at *field.Path) field.ErrorList {
			return required(at, part{"volumePath", v.VsphereVolume.VolumePath != ""})
		}},
		{"photonPersistentDisk", v.PhotonPersistentDisk != nil, func(at *field.Path) field.ErrorList {
			return required(at, part{"pdID", v.PhotonPersistentDisk.PdID != ""})
		}},
		{"portworxVolume", v.PortworxVolume != nil, func(at *field.Path) field.ErrorList {
			return required(at, part{"volumeID", v.PortworxVolume.VolumeID != ""})
		}},
		{"azureDisk", v.AzureDisk != nil, func(at *field.Path) field.ErrorList { return validateAzureDisk(v.AzureDisk, at) }},
		{"storageos", v.StorageOS != nil, func(at *field.Path) field.ErrorList {
			return append(validateStorageOS(v.StorageOS.VolumeName, v.StorageOS.VolumeNamespace, at), validateSecretName(v.StorageOS.SecretRef, at.Child("secretRef"))...)
		}},
		{"projected", v.Projected != nil, func(at *field.Path) field.ErrorList { return validateProjected(v.Projected, at) }},
		{"scaleIO", v.ScaleIO != nil, func(at *field.Path) field.ErrorList {
			return required(at, part{"gateway", v.ScaleIO.Gateway != ""}, part{"system", v.ScaleIO.System != ""}, part{"volumeName", v.ScaleIO.VolumeName != ""})
		}},
		{"csi", v.CSI != nil, func(at *field.Path) field.ErrorList { return validateInlineCSI(v.CSI, at) }},
		{"ephemeral", v.Ephemeral != nil, func(at *field.Path) field.ErrorList { return validateEphemeral(v, pod, path) }},
		{"image", v.Image != nil, func(at *field.Path) field.ErrorList {
			return append(required(at, part{"reference", v.Image.Reference != ""}), validatePullPolicy(at.Child("pullPolicy"), v.Image.PullPolicy)...)
		}},
	}, path)
}

func validateEmptyDir(d *corev1.EmptyDirVolumeSource, at *field.Path) field.ErrorList {
	if d.SizeLimit != nil && d.SizeLimit.Sign() < 0 {
		return field.ErrorList{field.Forbidden(at.Child("sizeLimit"), "SizeLimit field must be a valid resource quantity")}
	}
	return nil
}

func validatePodISCSI(v *corev1.Volume, path *field.Path) field.ErrorList {
	s := v.ISCSI
	judged := iscsi{s.TargetPortal, s.IQN, s.Lun, s.DiscoveryCHAPAuth || s.SessionCHAPAuth, s.InitiatorName, s.SecretRef != nil}
	return append(validateISCSI(judged, path.Child("iscsi")), validateISCSISession(v.Name, s.TargetPortal, s.InitiatorName, path.Child("name"))...)
}

func validateInlineCSI(csi *corev1.CSIVolumeSource, at *field.Path) field.ErrorList {
	errs := validateDriver(at.Child("driver"), csi.Driver)
	if ref := csi.NodePublishSecretRef; ref != nil && ref.Name != "" {
		errs = append(errs, invalid(at.Child("nodePublishSecretRef", "name"), ref.Name, apivalidation.NameIsDNSSubdomain(ref.Name, false))...)
	}
	return append(errs, validateSecretName(csi.NodePublishSecretRef, at.Child("nodePublishSecretRef"))...)
}

// validateEphemeral judges a claim that is made for the pod, with the pod's name and the volume's.
func validateEphemeral(v *corev1.Volume, pod string, path *field.Path) field.ErrorList {
	template := v.Ephemeral.VolumeClaimTemplate
	errs := required(path.Child("ephemeral"), part{"volumeClaimTemplate", template != nil})
	if template != nil {
		at := path.Child("ephemeral", "volumeClaimTemplate")
		errs = append(errs, apivalidation.ValidateAnnotations(template.Annotations, at.Child("metadata", "annotations"))...)
		errs = append(errs, metav1validation.ValidateLabels(template.Labels, at.Child("metadata", "labels"))...)
		errs = append(errs, validateNoOtherMetadata(&template.ObjectMeta, at.Child("metadata"))...)
		errs = append(errs, validateClaimSpec(&template.Spec, at.Child("spec"))...)
	}
	if pod != "" && v.Name != "" {
		name := pod + "-" + v.Name
		for _, fault := range apivalidation.NameIsDNSSubdomain(name, false) {
			errs = append(errs, field.Invalid(path.Child("name"), v.Name, fmt.Sprintf("PVC name %q: %v", name, fault)))
		}
	}
	return errs
}

// validateFiles judges who may read the files of a volume, if nothing is said of a single one.
func validateFiles(mode *int32, user *int64, at *field.Path) field.ErrorList {
	return append(validateMode(at.Child("defaultMode"), mode), validateUser(at.Child("defaultUser"), user)...)
}

func validateMode(at *field.Path, mode *int32) field.ErrorList {
	if mode != nil && (*mode < 0 || *mode > 0o777) {
		return field.ErrorList{field.Invalid(at, *mode, "must be a number between 0 and 0777 (octal), both inclusive")}
	}
	return nil
}

func validateUser(at *field.Path, id *int64) field.ErrorList {
	if id == nil {
		return nil
	}
	return invalid(at, *id, validation.IsValidUserID(*id))
}

// validateKeys judges which keys of a secret or a config map become which files.
func validateKeys(items []corev1.KeyToPath, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, item := range rest.WhileFew(&errs, slices.All(items)) {
		at := path.Index(i)
		errs = append(errs, required(at, part{"key", item.Key != ""}, part{"path", item.Path != ""})...)
		errs = append(errs, validateWritten(at.Child("path"), item.Path)...)
		errs = append(errs, validateMode(at.Child("mode"), item.Mode)...)
		errs = append(errs, validateUser(at.Child("user"), item.User)...)
	}
	return errs
}

// validatePodFile judges a file with something that the pod or a container says.
func validatePodFile(f *corev1.DownwardAPIVolumeFile, at *field.Path) field.ErrorList {
	errs := append(required(at, part{"path", f.Path != ""}), validateWritten(at.Child("path"), f.Path)...)
	switch {
	case f.FieldRef != nil:
		errs = append(errs, validatePodField(f.FieldRef, fileFields, at.Child("fieldRef"))...)
		if f.ResourceFieldRef != nil {
			errs = append(errs, field.Invalid(at, f.Path, "fieldRef and resourceFieldRef can not be specified simultaneously"))
		}
	case f.ResourceFieldRef != nil:
		ref := at.Child("resourceFieldRef")
		if f.ResourceFieldRef.ContainerName == "" {
			errs = append(errs, field.Required(ref.Child("containerName"), ""))
		} else {
			errs = append(errs, validateContainerField(f.ResourceFieldRef, ref)...)
		}
	default:
		errs = append(errs, field.Required(at, "one of fieldRef and resourceFieldRef is required"))
	}
	errs = append(errs, validateMode(at.Child("mode"), f.Mode)...)
	return append(errs, validateUser(at.Child("user"), f.User)...)
}

// validateNoOtherMetadata judges what a template says of the objects that are made from it: their
// labels and annotations.
func validateNoOtherMetadata(m *metav1.ObjectMeta, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, p := range []part{
		{"name", m.Name != ""}, {"generateName", m.GenerateName != ""}, {"namespace", m.Namespace != ""},
		//lint:ignore SA1019 to be refused it has to be read
		{"selfLink", m.SelfLink != ""},
		{"uid", m.UID != ""}, {"resourceVersion", m.ResourceVersion != ""}, {"generation", m.Generation != 0},
		{"creationTimestamp", !m.CreationTimestamp.IsZero()}, {"deletionTimestamp", m.DeletionTimestamp != nil},
		{"deletionGracePeriodSeconds", m.DeletionGracePeriodSeconds != nil}, {"ownerReferences", m.OwnerReferences != nil},
		{"finalizers", m.Finalizers != nil}, {"managedFields", m.ManagedFields != nil},
	} {
		if p.is {
			errs = append(errs, field.Forbidden(at.Child(p.name), "cannot be set"))
		}
	}
	return errs
}

// label judges a name that has to be a DNS label.
func label(at *field.Path, name string) field.ErrorList {
	if name == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	return invalid(at, name, validation.IsDNS1123Label(name))
}

// validatePullPolicy says when an image is pulled.
func validatePullPolicy(at *field.Path, policy corev1.PullPolicy) field.ErrorList {
	return oneOf(at, policy, corev1.PullAlways, corev1.PullIfNotPresent, corev1.PullNever)
}

// validateSigner judges the name of who signs certificates: a domain, a slash, and what he is
// called there.
func validateSigner(at *field.Path, name string) field.ErrorList {
	domain, path, ok := strings.Cut(name, "/")
	switch {
	case name == "":
		return field.ErrorList{field.Required(at, "")}
	case !ok || strings.Contains(path, "/"):
		return field.ErrorList{field.Invalid(at, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'")}
	}
	errs := append(invalid(at, domain, validation.IsDNS1123Subdomain(domain)), invalid(at, path, validation.IsDNS1123Subdomain(path))...)
	if !strings.Contains(domain, ".") {
		errs = append(errs, field.Invalid(at, domain, "should be a domain with at least two segments separated by dots"))
	}
	return errs
}
