package strategy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// file is one that a volume will have, and the how-many-th it is there.
type file struct {
	path  string
	of    *corev1.VolumeProjection // nil: the volume has one source alone
	part  string                   // which file it is of a source that has several
	order int
}

func (f *file) String() string {
	if f.of == nil {
		return fmt.Sprintf("%q", f.path)
	}
	return fmt.Sprintf("%q (%s%s)", f.path, sourceName(f.of), f.part)
}

// files looks for files of a volume that are in the place of others, or of their folders.
func (w *Warnings) files(v *corev1.Volume) {
	var few [16]file // most volumes need no memory of their own
	all := few[:0]
	switch {
	case v.ConfigMap != nil:
		all = keyFiles(all, nil, v.ConfigMap.Items)
	case v.Secret != nil:
		all = keyFiles(all, nil, v.Secret.Items)
	case v.DownwardAPI != nil:
		all = fieldFiles(all, nil, v.DownwardAPI.Items)
	case v.Projected != nil:
		for i := range v.Projected.Sources {
			source := &v.Projected.Sources[i]
			if *source == (corev1.VolumeProjection{}) {
				w.Add("volume %q (Projected) has no sources provided", v.Name)
			}
			all = sourceFiles(all, source)
		}
	}
	w.overlaps(v, all)
}

// overlaps sorts files so that those which are in the place of one follow it at once. So each
// comparison but one finds something to say.
func (w *Warnings) overlaps(v *corev1.Volume, all []file) {
	slices.SortFunc(all, func(a, b file) int { return cmp.Or(comparePaths(a.path, b.path), cmp.Compare(a.order, b.order)) })
	for i := range all {
		for j := i + 1; j < len(all) && isBelow(all[j].path, all[i].path) && !w.full(); j++ {
			earlier, later := &all[i], &all[j]
			if earlier.order > later.order {
				earlier, later = later, earlier
			}
			w.Add("volume %q (%s): overlapping paths: %s with %s", v.Name, volumeName(v), later.String(), earlier.String())
		}
	}
}

// isBelow says whether a path is a folder, or within it.
func isBelow(path, folder string) bool {
	rest, ok := strings.CutPrefix(path, folder)
	return ok && (rest == "" || rest[0] == '/')
}

// comparePaths has what is in a folder follow it at once: it compares paths with slashes at their
// ends.
func comparePaths(a, b string) int {
	n := min(len(a), len(b))
	if c := strings.Compare(a[:n], b[:n]); c != 0 {
		return c
	}
	next := func(path string) byte {
		if len(path) > n {
			return path[n]
		}
		return '/'
	}
	return cmp.Or(cmp.Compare(next(a), next(b)), cmp.Compare(len(a), len(b)))
}

func addFile(all []file, of *corev1.VolumeProjection, path, part string) []file {
	if path = strings.TrimRight(path, "/"); path == "" {
		return all
	}
	return append(all, file{path, of, part, len(all)})
}

func keyFiles(all []file, of *corev1.VolumeProjection, items []corev1.KeyToPath) []file {
	for i := range items {
		all = addFile(all, of, items[i].Path, "")
	}
	return all
}

func fieldFiles(all []file, of *corev1.VolumeProjection, items []corev1.DownwardAPIVolumeFile) []file {
	for i := range items {
		all = addFile(all, of, items[i].Path, "")
	}
	return all
}

// sourceFiles adds the files of one source of several.
func sourceFiles(all []file, source *corev1.VolumeProjection) []file {
	switch {
	case source.ConfigMap != nil:
		return keyFiles(all, source, source.ConfigMap.Items)
	case source.Secret != nil:
		return keyFiles(all, source, source.Secret.Items)
	case source.DownwardAPI != nil:
		return fieldFiles(all, source, source.DownwardAPI.Items)
	case source.ServiceAccountToken != nil:
		return addFile(all, source, source.ServiceAccountToken.Path, "")
	case source.ClusterTrustBundle != nil:
		return addFile(all, source, source.ClusterTrustBundle.Path, "")
	case source.PodCertificate != nil:
		all = addFile(all, source, source.PodCertificate.CertificateChainPath, " chain")
		all = addFile(all, source, source.PodCertificate.KeyPath, " key")
		return addFile(all, source, source.PodCertificate.CredentialBundlePath, " credential bundle")
	}
	return all
}

// volumeName is where the files of a volume come from.
func volumeName(v *corev1.Volume) string {
	switch {
	case v.ConfigMap != nil:
		return fmt.Sprintf("ConfigMap %q", v.ConfigMap.Name)
	case v.Secret != nil:
		return fmt.Sprintf("Secret %q", v.Secret.SecretName)
	case v.DownwardAPI != nil:
		return "DownwardAPI"
	}
	return "Projected"
}

// sourceName is where the files of one source of several come from.
func sourceName(source *corev1.VolumeProjection) string {
	switch {
	case source.ConfigMap != nil:
		return fmt.Sprintf("ConfigMap %q", source.ConfigMap.Name)
	case source.Secret != nil:
		return fmt.Sprintf("Secret %q", source.Secret.Name)
	case source.DownwardAPI != nil:
		return "DownwardAPI"
	case source.ServiceAccountToken != nil:
		return "ServiceAccountToken"
	case source.ClusterTrustBundle != nil && source.ClusterTrustBundle.Name != nil:
		return fmt.Sprintf("ClusterTrustBundle %q", *source.ClusterTrustBundle.Name)
	case source.ClusterTrustBundle != nil && source.ClusterTrustBundle.SignerName != nil:
		return fmt.Sprintf("ClusterTrustBundle %q", *source.ClusterTrustBundle.SignerName)
	case source.PodCertificate != nil:
		return "PodCertificate"
	}
	return "ClusterTrustBundle"
}
