package manifests

import (
	"fmt"
	"strings"
)

// file is one manifest.
type file struct{ name, text string }

// files are the manifests of a program, in the order in which a cluster takes them.
func (p *program) files() []file {
	out := []file{
		{"namespace.yaml", p.fill(namespace)},
		{"rbac.yaml", p.fill(rbac)},
		{"service.yaml", p.fill(service)},
		{"deployment.yaml", p.fill(deployment)},
		{"apiservice.yaml", p.apiServices()},
	}
	list := ""
	for _, f := range out {
		list += "- " + f.name + "\n"
	}
	out = append(out, file{"kustomization.yaml", p.fill(kustomization) + list})
	for i := range out {
		out[i].text = firstLine(p.path) + out[i].text
	}
	return out
}

func (p *program) fill(text string) string { return strings.ReplaceAll(text, "NAME", p.name) }

// groupPriority is that of all groups: it only matters for kinds of one name, where those of
// Kubernetes come first.
const groupPriority = 1000

// apiServices tell the aggregator which versions are here. Clients prefer the version of the
// highest priority.
func (p *program) apiServices() string {
	var b strings.Builder
	for i, gv := range p.versions {
		better := 0
		for _, other := range p.versions[i+1:] {
			if other.Group == gv.Group {
				better++
			}
		}
		if i > 0 {
			b.WriteString("---\n")
		}
		fmt.Fprintf(&b, p.fill(apiService), gv.Version, gv.Group, gv.Group, gv.Version, groupPriority, 10+better)
	}
	return b.String()
}

const namespace = `apiVersion: v1
kind: Namespace
metadata:
  name: NAME
`

const rbac = `apiVersion: v1
kind: ServiceAccount
metadata:
  name: NAME
  namespace: NAME
---
# The server asks the cluster whose a token is and what users may do.
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: NAME:auth-delegator
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: system:auth-delegator
subjects:
- kind: ServiceAccount
  name: NAME
  namespace: NAME
---
# The server asks whether there is a namespace before it makes something in it.
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: NAME:namespaces
rules:
- apiGroups: [""]
  resources: [namespaces]
  verbs: [get]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: NAME:namespaces
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: NAME:namespaces
subjects:
- kind: ServiceAccount
  name: NAME
  namespace: NAME
---
# The server reads which front proxies and client certificates the cluster trusts.
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: NAME:extension-apiserver-authentication-reader
  namespace: kube-system
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: extension-apiserver-authentication-reader
subjects:
- kind: ServiceAccount
  name: NAME
  namespace: NAME
`

const service = `apiVersion: v1
kind: Service
metadata:
  name: NAME
  namespace: NAME
  labels:
    app.kubernetes.io/name: NAME
spec:
  selector:
    app.kubernetes.io/name: NAME
  ports:
  - name: https
    port: 443
    targetPort: https
    protocol: TCP
`

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: NAME
  namespace: NAME
  labels:
    app.kubernetes.io/name: NAME
spec:
  replicas: 1
  selector:
    matchLabels:
      app.kubernetes.io/name: NAME
  template:
    metadata:
      labels:
        app.kubernetes.io/name: NAME
    spec:
      serviceAccountName: NAME
      securityContext:
        runAsNonRoot: true
        runAsUser: 65532
        runAsGroup: 65532
        fsGroup: 65532
        seccompProfile:
          type: RuntimeDefault
      containers:
      - name: server
        image: NAME:latest
        args:
        - --bind-address=0.0.0.0
        - --secure-port=6443
        - --data-dir=/data
        - --etcd-servers=http://NAME-etcd.NAME.svc:2379
        - --tls-cert-file=/tls/tls.crt
        - --tls-private-key-file=/tls/tls.key
        - --authentication-kubeconfig=in-cluster
        - --authorization-kubeconfig=in-cluster
        ports:
        - name: https
          containerPort: 6443
          protocol: TCP
        startupProbe:
          httpGet:
            path: /livez
            port: https
            scheme: HTTPS
          periodSeconds: 2
          failureThreshold: 60
        livenessProbe:
          httpGet:
            path: /livez
            port: https
            scheme: HTTPS
          periodSeconds: 10
          timeoutSeconds: 5
        readinessProbe:
          httpGet:
            path: /readyz
            port: https
            scheme: HTTPS
          periodSeconds: 2
          timeoutSeconds: 5
        resources:
          requests:
            cpu: 100m
            memory: 128Mi
        securityContext:
          allowPrivilegeEscalation: false
          readOnlyRootFilesystem: true
          capabilities:
            drop:
            - ALL
        volumeMounts:
        - name: data
          mountPath: /data
        - name: tls
          mountPath: /tls
          readOnly: true
      volumes:
      - name: data
        emptyDir: {}
      - name: tls
        secret:
          secretName: NAME-tls # with a certificate for NAME.NAME.svc
`

const apiService = `apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata:
  name: %s.%s
  labels:
    app.kubernetes.io/name: NAME
spec:
  group: %s
  version: %s
  groupPriorityMinimum: %d
  versionPriority: %d
  # caBundle, the authority of the certificate in the Secret NAME-tls, comes from an overlay.
  service:
    name: NAME
    namespace: NAME
    port: 443
`

const kustomization = `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
`
