package serviceaccount

import (
	"log/slog"
	"maps"

	corev1 "k8s.io/api/core/v1"

	"github.com/typeplane/typeplane/registry/rest"
)

// What pods look for. The volumes with tokens that the plug-in adds to pods name it (mount.go).
const (
	authoritiesName = "kube-root-ca.crt"
	authoritiesKey  = "ca.crt"
)

const description = "The certificate authorities by which pods of this namespace know the API server. It is good for nothing else."

// authorities keeps the ConfigMap kube-root-ca.crt in every namespace: ca are the authorities, in
// PEM, by which pods know this server. What somebody changes in its data is put right.
func authorities(namespaces, configMaps rest.Resource, ca []byte, log *slog.Logger) *everywhere[corev1.ConfigMap] {
	data := map[string]string{authoritiesKey: string(ca)}
	return &everywhere[corev1.ConfigMap]{
		namespaces: namespaces, objects: configMaps, name: authoritiesName, log: log,
		create: func(namespace string) rest.Body {
			made := &corev1.ConfigMap{Data: maps.Clone(data)}
			made.Namespace, made.Name = namespace, authoritiesName
			made.Annotations = map[string]string{"kubernetes.io/description": description}
			return made
		},
		mend: func(cm *corev1.ConfigMap) rest.Body {
			if maps.Equal(cm.Data, data) && len(cm.BinaryData) == 0 {
				return nil
			}
			cm.Data, cm.BinaryData = maps.Clone(data), nil
			return cm
		},
	}
}
