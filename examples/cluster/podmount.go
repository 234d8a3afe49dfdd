package main

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/rest"
)

// Where a container finds the volumes of its pod: as directories, or as devices.

// validateMounts judges the directories of a container.
func validateMounts(c *corev1.Container, volumes map[string]*corev1.VolumeSource, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	mounted, devices, deviceNames := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, d := range c.VolumeDevices {
		devices[d.DevicePath], deviceNames[d.Name] = true, true
	}
	for i := range rest.WhileFew(&errs, slices.All(c.VolumeMounts)) {
		m, at := &c.VolumeMounts[i], path.Index(i)
		errs = append(errs, required(at, part{"name", m.Name != ""}, part{"mountPath", m.MountPath != ""})...)
		if volumes[m.Name] == nil {
			errs = append(errs, field.NotFound(at.Child("name"), m.Name))
		}
		if mounted[m.MountPath] {
			errs = append(errs, field.Invalid(at.Child("mountPath"), m.MountPath, "must be unique"))
		}
		mounted[m.MountPath] = true
		if deviceNames[m.Name] {
			errs = append(errs, field.Invalid(at.Child("name"), m.Name, "must not already exist in volumeDevices"))
		}
		if devices[m.MountPath] {
			errs = append(errs, field.Invalid(at.Child("mountPath"), m.MountPath, "must not already exist as a path in volumeDevices"))
		}
		errs = append(errs, validateInside(at.Child("subPath"), m.SubPath)...)
		errs = append(errs, validateInside(at.Child("subPathExpr"), m.SubPathExpr)...)
		if m.SubPath != "" && m.SubPathExpr != "" {
			errs = append(errs, field.Invalid(at.Child("subPathExpr"), m.SubPathExpr, "subPathExpr and subPath are mutually exclusive"))
		}
		errs = append(errs, validatePropagation(m, c.SecurityContext, at)...)
	}
	return errs
}

// validatePropagation judges who else sees what is mounted below a mount, and whether that can be
// written to.
func validatePropagation(m *corev1.VolumeMount, security *corev1.SecurityContext, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if m.MountPropagation != nil {
		at := path.Child("mountPropagation")
		errs = append(errs, oneOf(at, *m.MountPropagation, corev1.MountPropagationBidirectional, corev1.MountPropagationHostToContainer, corev1.MountPropagationNone)...)
		if *m.MountPropagation == corev1.MountPropagationBidirectional && !privileged(security) {
			errs = append(errs, field.Forbidden(at, "Bidirectional mount propagation is available only to privileged containers"))
		}
	}
	if m.RecursiveReadOnly == nil {
		return errs
	}
	at := path.Child("recursiveReadOnly")
	unknown := oneOf(at, *m.RecursiveReadOnly, corev1.RecursiveReadOnlyDisabled, corev1.RecursiveReadOnlyIfPossible, corev1.RecursiveReadOnlyEnabled)
	if len(unknown) > 0 || *m.RecursiveReadOnly == corev1.RecursiveReadOnlyDisabled {
		return append(errs, unknown...)
	}
	if !m.ReadOnly {
		errs = append(errs, field.Forbidden(at, "may only be specified when readOnly is true"))
	}
	if m.MountPropagation != nil && *m.MountPropagation != corev1.MountPropagationNone {
		errs = append(errs, field.Forbidden(at, "may only be specified when mountPropagation is None or not specified"))
	}
	return errs
}

// validateDevices judges the devices of a container: only claims can be such.
func validateDevices(c *corev1.Container, volumes map[string]*corev1.VolumeSource, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	names, paths, mounted, mounts := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, m := range c.VolumeMounts {
		mounted[m.MountPath], mounts[m.Name] = true, true
	}
	for i, d := range rest.WhileFew(&errs, slices.All(c.VolumeDevices)) {
		at := path.Index(i)
		errs = append(errs, required(at, part{"name", d.Name != ""}, part{"devicePath", d.DevicePath != ""})...)
		switch v := volumes[d.Name]; {
		case v == nil:
			errs = append(errs, field.NotFound(at.Child("name"), d.Name))
		case v.PersistentVolumeClaim == nil && v.Ephemeral == nil:
			errs = append(errs, field.Invalid(at.Child("name"), d.Name, "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"))
		}
		if d.Name != "" && names[d.Name] {
			errs = append(errs, field.Invalid(at.Child("name"), d.Name, "must be unique"))
		}
		if paths[d.DevicePath] {
			errs = append(errs, field.Invalid(at.Child("devicePath"), d.DevicePath, "must be unique"))
		}
		errs = append(errs, validateNoBacksteps(at.Child("devicePath"), d.DevicePath)...)
		if mounts[d.Name] {
			errs = append(errs, field.Invalid(at.Child("name"), d.Name, "must not already exist in volumeMounts"))
		}
		if mounted[d.DevicePath] {
			errs = append(errs, field.Invalid(at.Child("devicePath"), d.DevicePath, "must not already exist as a path in volumeMounts"))
		}
		names[d.Name], paths[d.DevicePath] = true, true
	}
	return errs
}
