{{- define "dsdoctor.labels" -}}
app.kubernetes.io/name: dsdoctor
{{- with .Values.labels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "dsdoctor.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{- define "dsdoctor.subject" -}}
- kind: ServiceAccount
  name: dsdoctor
  namespace: {{ .Release.Namespace }}
{{- end }}

{{/* The parts that both pods have. */}}
{{- define "dsdoctor.pod" -}}
serviceAccountName: dsdoctor
automountServiceAccountToken: true
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "dsdoctor.container" -}}
image: {{ include "dsdoctor.image" . | quote }}
resources: {{ toYaml .Values.resources | nindent 2 }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}
