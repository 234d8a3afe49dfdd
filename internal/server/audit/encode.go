package audit

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/runtime/json"
)

// appendEvent appends an event as encoding/json writes it. It is written by hand, for each write to
// the server has one, and with reflection a record took twice as long (BenchmarkRecord). The error
// is that of a body that is not JSON; dst is then of no use.
func appendEvent(dst []byte, e *Event) ([]byte, error) {
	start := len(dst)
	dst = json.AppendStringField(dst, `,"kind":`, e.Kind)
	dst = json.AppendStringField(dst, `,"apiVersion":`, e.APIVersion)
	dst = json.AppendStringField(dst, `,"level":`, e.Level)
	dst = json.AppendStringField(dst, `,"auditID":`, e.AuditID)
	dst = json.AppendStringField(dst, `,"stage":`, e.Stage)
	dst = json.AppendStringField(dst, `,"requestURI":`, e.RequestURI)
	dst = json.AppendStringField(dst, `,"verb":`, e.Verb)
	dst, err := appendUser(json.AppendName(dst, `,"user":`), &e.User)
	if e.ImpersonatedUser != nil && err == nil {
		dst, err = appendUser(json.AppendName(dst, `,"impersonatedUser":`), e.ImpersonatedUser)
	}
	dst = json.AppendOptionalStrings(dst, `,"sourceIPs":`, e.SourceIPs)
	dst = json.AppendOptionalString(dst, `,"userAgent":`, e.UserAgent)
	if e.ObjectRef != nil {
		dst = appendReference(json.AppendName(dst, `,"objectRef":`), e.ObjectRef)
	}
	if e.ResponseStatus != nil {
		dst = appendStatus(json.AppendName(dst, `,"responseStatus":`), e.ResponseStatus)
	}
	if len(e.RequestObject) > 0 && err == nil {
		dst, err = json.AppendCompact(json.AppendName(dst, `,"requestObject":`), e.RequestObject)
	}
	if len(e.ResponseObject) > 0 && err == nil {
		dst, err = json.AppendCompact(json.AppendName(dst, `,"responseObject":`), e.ResponseObject)
	}
	dst = appendTime(json.AppendName(dst, `,"requestReceivedTimestamp":`), e.RequestReceivedTimestamp)
	dst = appendTime(json.AppendName(dst, `,"stageTimestamp":`), e.StageTimestamp)
	dst = json.AppendOptionalStringMap(dst, `,"annotations":`, e.Annotations)
	return json.Close(dst, start), err
}

func appendUser(dst []byte, u *User) ([]byte, error) {
	start := len(dst)
	dst = json.AppendOptionalString(dst, `,"username":`, u.Username)
	dst = json.AppendOptionalString(dst, `,"uid":`, u.UID)
	dst = json.AppendOptionalStrings(dst, `,"groups":`, u.Groups)
	if len(u.Extra) == 0 {
		return json.Close(dst, start), nil
	}
	dst, err := json.AppendAny(json.AppendName(dst, `,"extra":`), u.Extra)
	return json.Close(dst, start), err
}

func appendReference(dst []byte, o *ObjectReference) []byte {
	start := len(dst)
	dst = json.AppendOptionalString(dst, `,"resource":`, o.Resource)
	dst = json.AppendOptionalString(dst, `,"namespace":`, o.Namespace)
	dst = json.AppendOptionalString(dst, `,"name":`, o.Name)
	dst = json.AppendOptionalString(dst, `,"uid":`, o.UID)
	dst = json.AppendOptionalString(dst, `,"apiGroup":`, o.APIGroup)
	dst = json.AppendOptionalString(dst, `,"apiVersion":`, o.APIVersion)
	dst = json.AppendOptionalString(dst, `,"resourceVersion":`, o.ResourceVersion)
	dst = json.AppendOptionalString(dst, `,"subresource":`, o.Subresource)
	return json.Close(dst, start)
}

func appendStatus(dst []byte, s *Status) []byte {
	start := len(dst)
	dst = json.AppendName(dst, `,"metadata":{}`)
	dst = json.AppendOptionalString(dst, `,"status":`, s.Status)
	dst = json.AppendOptionalString(dst, `,"message":`, s.Message)
	dst = json.AppendOptionalString(dst, `,"reason":`, s.Reason)
	dst = json.AppendIntField(dst, `,"code":`, s.Code)
	return json.Close(dst, start)
}

func appendTime(dst []byte, t metav1.MicroTime) []byte {
	if t.IsZero() {
		return append(dst, "null"...)
	}
	dst = append(dst, '"')
	dst = t.UTC().AppendFormat(dst, metav1.RFC3339Micro)
	return append(dst, '"')
}
