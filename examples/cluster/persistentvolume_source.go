package main

import (
	posix "path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateVolumeSource says whether a volume lies in one place, and what is wrong with that. It knows the kinds of places that any
// cluster has; what is wrong with a disk of some cloud, the driver for it finds out.
func validateVolumeSource(s *corev1.PersistentVolumeSource, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	found := false
	for _, place := range []struct {
		name string
		is   bool
	}{
		{"hostPath", s.HostPath != nil}, {"gcePersistentDisk", s.GCEPersistentDisk != nil}, {"awsElasticBlockStore", s.AWSElasticBlockStore != nil},
		{"glusterfs", s.Glusterfs != nil}, {"flocker", s.Flocker != nil}, {"nfs", s.NFS != nil}, {"rbd", s.RBD != nil}, {"quobyte", s.Quobyte != nil},
		{"cephFS", s.CephFS != nil}, {"iscsi", s.ISCSI != nil}, {"cinder", s.Cinder != nil}, {"fc", s.FC != nil}, {"flexVolume", s.FlexVolume != nil},
		{"azureFile", s.AzureFile != nil}, {"vsphereVolume", s.VsphereVolume != nil}, {"photonPersistentDisk", s.PhotonPersistentDisk != nil},
		{"portworxVolume", s.PortworxVolume != nil}, {"azureDisk", s.AzureDisk != nil}, {"scaleIO", s.ScaleIO != nil}, {"local", s.Local != nil},
		{"storageos", s.StorageOS != nil}, {"csi", s.CSI != nil},
	} {
		if place.is && found {
			errs = append(errs, field.Forbidden(at.Child(place.name), "may not specify more than 1 volume type"))
		}
		found = found || place.is
	}
	if !found {
		return field.ErrorList{field.Required(at, "must specify a volume type")}
	}
	if s.HostPath != nil {
		errs = append(errs, validatePath(at.Child("hostPath", "path"), s.HostPath.Path)...)
	}
	if s.Local != nil {
		errs = append(errs, validatePath(at.Child("local", "path"), s.Local.Path)...)
	}
	if s.NFS != nil {
		errs = append(errs, validateNFS(s.NFS, at.Child("nfs"))...)
	}
	if s.CSI != nil {
		errs = append(errs, validateCSI(s.CSI, at.Child("csi"))...)
	}
	return errs
}

// validatePath judges a path on a node: it does not lead out of where it says.
func validatePath(at *field.Path, p string) field.ErrorList {
	switch {
	case p == "":
		return field.ErrorList{field.Required(at, "")}
	case slices.Contains(strings.Split(p, "/"), ".."):
		return field.ErrorList{field.Invalid(at, p, "must not contain '..'")}
	}
	return nil
}

func validateNFS(nfs *corev1.NFSVolumeSource, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if nfs.Server == "" {
		errs = append(errs, field.Required(at.Child("server"), ""))
	}
	switch {
	case nfs.Path == "":
		errs = append(errs, field.Required(at.Child("path"), ""))
	case !posix.IsAbs(nfs.Path):
		errs = append(errs, field.Invalid(at.Child("path"), nfs.Path, "must be an absolute path"))
	}
	return errs
}

func validateCSI(csi *corev1.CSIPersistentVolumeSource, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if csi.Driver == "" {
		errs = append(errs, field.Required(at.Child("driver"), ""))
	} else {
		errs = append(errs, invalid(at.Child("driver"), csi.Driver, validation.IsDNS1123Subdomain(strings.ToLower(csi.Driver)))...)
	}
	if csi.VolumeHandle == "" {
		errs = append(errs, field.Required(at.Child("volumeHandle"), ""))
	}
	for _, s := range []struct {
		name string
		ref  *corev1.SecretReference
	}{
		{"controllerPublishSecretRef", csi.ControllerPublishSecretRef}, {"controllerExpandSecretRef", csi.ControllerExpandSecretRef},
		{"nodePublishSecretRef", csi.NodePublishSecretRef}, {"nodeExpandSecretRef", csi.NodeExpandSecretRef},
	} {
		if s.ref != nil {
			errs = append(errs, validateSecretReference(s.ref, at.Child(s.name))...)
		}
	}
	return errs
}

// validateSecretReference judges a secret that a driver needs: it lies in any namespace.
func validateSecretReference(ref *corev1.SecretReference, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, part := range []struct{ name, value string }{{"name", ref.Name}, {"namespace", ref.Namespace}} {
		if part.value == "" {
			errs = append(errs, field.Required(at.Child(part.name), ""))
		} else {
			errs = append(errs, invalid(at.Child(part.name), part.value, validation.IsDNS1123Label(part.value))...)
		}
	}
	return errs
}
