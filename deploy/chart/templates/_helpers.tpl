{{- define "typeplane.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- with .Values.image.tag }}
app.kubernetes.io/version: {{ . | quote }}
{{- end }}
{{- end }}

{{- define "typeplane.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "typeplane.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ required "image.tag: say which release, or image.digest" .tag }}{{ end }}
{{- end -}}
{{- end }}

{{- /* The names by which clients in the cluster know the server, and those of the values. */ -}}
{{- define "typeplane.names" -}}
{{- $short := printf "%s.%s" .Release.Name .Release.Namespace -}}
{{- join "," (concat (list .Release.Name $short (printf "%s.svc" $short) (printf "%s.svc.cluster.local" $short)) .Values.names) -}}
{{- end }}
