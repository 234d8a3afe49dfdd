package main

import (
	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateVolumeSource says whether a persistent volume lies in one place, and what is wrong with
// that.
func validateVolumeSource(spec *corev1.PersistentVolumeSpec, name string, path *field.Path) field.ErrorList {
	s := &spec.PersistentVolumeSource
	return validatePlaces([]way{
		{"hostPath", s.HostPath != nil, func(at *field.Path) field.ErrorList { return validateHostPath(s.HostPath, at) }},
		{"gcePersistentDisk", s.GCEPersistentDisk != nil, func(at *field.Path) field.ErrorList {
			return validateDisk(at, part{"pdName", s.GCEPersistentDisk.PDName != ""}, s.GCEPersistentDisk.Partition)
		}},
		{"awsElasticBlockStore", s.AWSElasticBlockStore != nil, func(at *field.Path) field.ErrorList {
			return validateDisk(at, part{"volumeID", s.AWSElasticBlockStore.VolumeID != ""}, s.AWSElasticBlockStore.Partition)
		}},
		{"glusterfs", s.Glusterfs != nil, func(at *field.Path) field.ErrorList { return validatePersistentGlusterfs(s.Glusterfs, at) }},
		{"flocker", s.Flocker != nil, func(at *field.Path) field.ErrorList { return validateFlocker(s.Flocker, at) }},
		{"nfs", s.NFS != nil, func(at *field.Path) field.ErrorList { return validateNFS(s.NFS, at) }},
		{"rbd", s.RBD != nil, func(at *field.Path) field.ErrorList {
			return required(at, part{"monitors", len(s.RBD.CephMonitors) > 0}, part{"image", s.RBD.RBDImage != ""})
		}},
		{"quobyte", s.Quobyte != nil, func(at *field.Path) field.ErrorList { return validateQuobyte(s.Quobyte, at) }},
		{"cephfs", s.CephFS != nil, func(at *field.Path) field.ErrorList {
			return required(at, part{"monitors", len(s.CephFS.Monitors) > 0})
		}},
		{"iscsi", s.ISCSI != nil, func(at *field.Path) field.ErrorList { return validatePersistentISCSI(s.ISCSI, name, at) }},
		{"cinder", s.Cinder != nil, func(at *field.Path) field.ErrorList {
			return append(required(at, part{"volumeID", s.Cinder.VolumeID != ""}), validateSecretPlace(s.Cinder.SecretRef, at.Child("secretRef"))...)
		}},
		{"fc", s.FC != nil, func(at *field.Path) field.ErrorList { return validateFC(s.FC, at) }},
		{"flexVolume", s.FlexVolume != nil, func(at *field.Path) field.ErrorList {
			return validateFlex(s.FlexVolume.Driver, s.FlexVolume.Options, at)
		}},
		{"azureFile", s.AzureFile != nil, func(at *field.Path) field.ErrorList {
			return required(at, part{"secretName", s.AzureFile.SecretName != ""}, part{"shareName", s.AzureFile.ShareName != ""},
				part{"secretNamespace", textOr(s.AzureFile.SecretNamespace, "of the claim") != ""})
		}},
		{"vsphereVolume", s.VsphereVolume != nil, func(at *field.Path) field.ErrorList {
			return required(at, part{"volumePath", s.VsphereVolume.VolumePath != ""})
		}},
		{"photonPersistentDisk", s.PhotonPersistentDisk != nil, func(at *field.Path) field.ErrorList {
			return required(at, part{"pdID", s.PhotonPersistentDisk.PdID != ""})
		}},
		{"portworxVolume", s.PortworxVolume != nil, func(at *field.Path) field.ErrorList {
			return required(at, part{"volumeID", s.PortworxVolume.VolumeID != ""})
		}},
		{"azureDisk", s.AzureDisk != nil, func(at *field.Path) field.ErrorList { return validateAzureDisk(s.AzureDisk, at) }},
		{"scaleIO", s.ScaleIO != nil, func(at *field.Path) field.ErrorList {
			return required(at, part{"gateway", s.ScaleIO.Gateway != ""}, part{"system", s.ScaleIO.System != ""}, part{"volumeName", s.ScaleIO.VolumeName != ""})
		}},
		{"local", s.Local != nil, func(at *field.Path) field.ErrorList {
			errs := append(required(at, part{"path", s.Local.Path != ""}), validateNoBacksteps(at.Child("path"), s.Local.Path)...)
			return append(errs, required(path, part{"nodeAffinity", spec.NodeAffinity != nil})...)
		}},
		{"storageos", s.StorageOS != nil, func(at *field.Path) field.ErrorList {
			errs := validateStorageOS(s.StorageOS.VolumeName, s.StorageOS.VolumeNamespace, at)
			if ref := s.StorageOS.SecretRef; ref != nil {
				errs = append(errs, required(at.Child("secretRef"), part{"name", ref.Name != ""}, part{"namespace", ref.Namespace != ""})...)
			}
			return errs
		}},
		{"csi", s.CSI != nil, func(at *field.Path) field.ErrorList { return validatePersistentCSI(s.CSI, at) }},
	}, path)
}

func validatePersistentGlusterfs(g *corev1.GlusterfsPersistentVolumeSource, at *field.Path) field.ErrorList {
	errs := required(at, part{"endpoints", g.EndpointsName != ""}, part{"path", g.Path != ""})
	if n := g.EndpointsNamespace; n != nil {
		errs = append(errs, invalid(at.Child("endpointsNamespace"), *n, apivalidation.ValidateNamespaceName(*n, false))...)
	}
	return errs
}

func validatePersistentISCSI(s *corev1.ISCSIPersistentVolumeSource, name string, at *field.Path) field.ErrorList {
	judged := iscsi{s.TargetPortal, s.IQN, s.Lun, s.DiscoveryCHAPAuth || s.SessionCHAPAuth, s.InitiatorName, s.SecretRef != nil}
	errs := validateISCSI(judged, at)
	if s.SecretRef != nil {
		errs = append(errs, required(at.Child("secretRef"), part{"name", s.SecretRef.Name != ""})...)
	}
	return append(errs, validateISCSISession(name, s.TargetPortal, s.InitiatorName, at.Child("targetPortal"))...)
}

// validateISCSISession judges the name under which a node that says who it is talks to a target.
func validateISCSISession(volume, portal string, initiator *string, at *field.Path) field.ErrorList {
	const longest = 64
	if initiator == nil || len(volume+":"+portal) <= longest {
		return nil
	}
	return field.ErrorList{field.Invalid(at, volume+":"+portal, "the name of the volume, a colon and iscsi.targetPortal must have no more than 64 characters if iscsi.initiatorName is specified")}
}

func validatePersistentCSI(csi *corev1.CSIPersistentVolumeSource, at *field.Path) field.ErrorList {
	errs := append(validateDriver(at.Child("driver"), csi.Driver), required(at, part{"volumeHandle", csi.VolumeHandle != ""})...)
	for _, s := range []struct {
		name string
		ref  *corev1.SecretReference
	}{
		{"controllerPublishSecretRef", csi.ControllerPublishSecretRef}, {"controllerExpandSecretRef", csi.ControllerExpandSecretRef},
		{"nodePublishSecretRef", csi.NodePublishSecretRef}, {"nodeExpandSecretRef", csi.NodeExpandSecretRef},
	} {
		errs = append(errs, validateSecretReference(s.ref, at.Child(s.name))...)
	}
	return errs
}
