package serviceaccount

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
)

// enforceAnnotation on an account, if it is true, lets its pods refer to the account's own secrets
// only.
const enforceAnnotation = "kubernetes.io/enforce-mountable-secrets"

// judgeMirror refuses what a mirror pod can't have: the node that runs the pod behind it would not
// know of it.
func judgeMirror(pod *corev1.Pod) error {
	switch {
	case pod.Spec.ServiceAccountName != "":
		return errors.New("a mirror pod may not reference service accounts")
	case len(pod.Spec.ImagePullSecrets) > 0 || len(containerSecrets(&pod.Spec)) > 0 || slices.ContainsFunc(pod.Spec.Volumes, hasSecret):
		return errors.New("a mirror pod may not reference secrets")
	case slices.ContainsFunc(pod.Spec.Volumes, hasToken):
		return errors.New("a mirror pod may not use ServiceAccountToken volume projections")
	}
	return nil
}

// hasSecret says whether a volume is made of a secret, or found with one.
func hasSecret(v corev1.Volume) bool {
	switch {
	case v.Secret != nil:
		return v.Secret.SecretName != ""
	case v.Projected != nil:
		return slices.ContainsFunc(v.Projected.Sources, func(s corev1.VolumeProjection) bool { return s.Secret != nil })
	case v.AzureFile != nil:
		return v.AzureFile.SecretName != ""
	case v.CSI != nil:
		return v.CSI.NodePublishSecretRef != nil
	}
	return v.CephFS != nil && v.CephFS.SecretRef != nil || v.Cinder != nil && v.Cinder.SecretRef != nil ||
		v.FlexVolume != nil && v.FlexVolume.SecretRef != nil || v.RBD != nil && v.RBD.SecretRef != nil ||
		v.ScaleIO != nil && v.ScaleIO.SecretRef != nil || v.ISCSI != nil && v.ISCSI.SecretRef != nil ||
		v.StorageOS != nil && v.StorageOS.SecretRef != nil
}

func hasToken(v corev1.Volume) bool {
	return v.Projected != nil && slices.ContainsFunc(v.Projected.Sources, func(s corev1.VolumeProjection) bool { return s.ServiceAccountToken != nil })
}

// reference is a place in the environment of a container that names a secret.
type reference struct {
	ephemeral     bool
	place, secret string
}

// containerSecrets are the secrets that the containers of a pod refer to.
func containerSecrets(spec *corev1.PodSpec) (refs []reference) {
	note := func(what, name string, env []corev1.EnvVar, from []corev1.EnvFromSource) {
		ephemeral := what == "ephemeral container"
		for _, f := range from {
			if f.SecretRef != nil {
				refs = append(refs, reference{ephemeral, fmt.Sprintf("%s %s with envFrom", what, name), f.SecretRef.Name})
			}
		}
		for _, e := range env {
			if e.ValueFrom != nil && e.ValueFrom.SecretKeyRef != nil {
				refs = append(refs, reference{ephemeral, fmt.Sprintf("%s %s with envVar %s", what, name, e.Name), e.ValueFrom.SecretKeyRef.Name})
			}
		}
	}
	for _, c := range spec.InitContainers {
		note("init container", c.Name, c.Env, c.EnvFrom)
	}
	for _, c := range spec.Containers {
		note("container", c.Name, c.Env, c.EnvFrom)
	}
	for _, c := range spec.EphemeralContainers {
		note("ephemeral container", c.Name, c.Env, c.EnvFrom)
	}
	return refs
}

// judgeSecrets refuses references to secrets that are not the account's, if the account wants that.
// subresource says what is written: of the ephemeral containers only these are looked at.
func judgeSecrets(account *corev1.ServiceAccount, spec *corev1.PodSpec, subresource string) error {
	if enforced, err := strconv.ParseBool(account.Annotations[enforceAnnotation]); err != nil || !enforced {
		return nil
	}
	own, ownPull := map[string]bool{}, map[corev1.LocalObjectReference]bool{}
	for _, ref := range account.Secrets {
		own[ref.Name] = true
	}
	for _, ref := range account.ImagePullSecrets {
		ownPull[ref] = true
	}
	for _, ref := range containerSecrets(spec) {
		if ref.ephemeral == (subresource == ephemeralContainers) && !own[ref.secret] {
			return fmt.Errorf("%s referencing secret.secretName=%q is not allowed because service account %s does not reference that secret", ref.place, ref.secret, account.Name)
		}
	}
	if subresource == ephemeralContainers {
		return nil
	}
	for _, v := range spec.Volumes {
		for _, secret := range volumeSecrets(v) {
			if !own[secret] {
				return fmt.Errorf("volume with secret.secretName=%q is not allowed because service account %s does not reference that secret", secret, account.Name)
			}
		}
	}
	for i, ref := range spec.ImagePullSecrets {
		if !ownPull[ref] {
			return fmt.Errorf("imagePullSecrets[%d].name=%q is not allowed because service account %s does not reference that imagePullSecret", i, ref.Name, account.Name)
		}
	}
	return nil
}

// volumeSecrets are the secrets whose contents a container could read in a volume.
func volumeSecrets(v corev1.Volume) (names []string) {
	if v.Secret != nil {
		names = append(names, v.Secret.SecretName)
	}
	if v.Projected != nil {
		for _, source := range v.Projected.Sources {
			if source.Secret != nil {
				names = append(names, source.Secret.Name)
			}
		}
	}
	return names
}
