package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/server/audit"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/serializer"
)

// What the audit log says of the decision about a request.
const (
	decisionAnnotation = "authorization.k8s.io/decision"
	reasonAnnotation   = "authorization.k8s.io/reason"
)

// Bounds of what a client can put into an event beside its body.
const (
	maxAuditText = 1024
	maxAuditIPs  = 16
)

// beginRecord asks the policy what is kept of the request. It is called when the user is known, or
// is known to be nobody.
func (s *Server) beginRecord(c *call) {
	if s.config.Audit == nil {
		return
	}
	c.record = s.config.Audit.Begin(auditRequest(c, c.user))
	if c.record != nil {
		c.record.Emit(audit.StageRequestReceived)
	}
}

// auditRequest is what is known at the begin of the request of a user.
func auditRequest(c *call, user *auth.User) audit.Request {
	return audit.Request{
		AuditID:   c.w.Header().Get(headerAuditID),
		URI:       recordedURI(c.req, user),
		Verb:      firstBytes(c.info.Verb, maxAuditText), // a method may be any word
		Path:      c.info.Path,
		Object:    objectReference(c.info),
		User:      auditUser(user),
		SourceIPs: sourceIPs(c.req),
		UserAgent: firstBytes(c.req.UserAgent(), maxAuditText),
		Received:  c.begun,
	}
}

// recordRefusal begins the record of a request that nothing was to be kept of, if it was refused
// for lack of credentials or rights.
func (s *Server) recordRefusal(c *call) {
	if c.record != nil || s.config.Audit == nil || c.w.status() != http.StatusUnauthorized && c.w.status() != http.StatusForbidden {
		return
	}
	user := c.user
	if c.impersonator != nil {
		user = c.impersonator
	}
	c.record = s.config.Audit.Refused(auditRequest(c, user))
}

// endRecord writes how the request ended.
func (c *call) endRecord() {
	if c.record == nil {
		return
	}
	if c.impersonator != nil {
		c.record.Impersonates(auditUser(c.user))
	}
	status := audit.Status{Code: c.w.status()}
	if f := c.failure; f != nil {
		status.Status, status.Message, status.Reason = f.Status, f.Message, string(f.Reason)
	}
	c.record.SetStatus(status)
	if c.panicked {
		c.record.Emit(audit.StagePanic)
		return
	}
	c.record.Emit(audit.StageResponseComplete)
}

// recordStart says that the answer of a watch, or of what lasts as long, begins.
func (c *call) recordStart(code int) {
	if c.record == nil {
		return
	}
	if c.impersonator != nil {
		c.record.Impersonates(auditUser(c.user))
	}
	c.record.SetStatus(audit.Status{Code: code})
	c.record.Emit(audit.StageResponseStarted)
}

// recordDecision says what the authorizer thought of the request.
func (c *call) recordDecision(allowed bool, reason string) {
	if c.record == nil {
		return
	}
	decision := "forbid"
	if allowed {
		decision = "allow"
	}
	c.record.Annotate(decisionAnnotation, decision)
	c.record.Annotate(reasonAnnotation, reason)
}

// recordObject keeps the object that a client sent, before anybody changes it.
func (c *call) recordObject(obj runtime.Object) {
	if c.record == nil {
		return
	}
	if o, ok := obj.(metav1.Object); ok {
		c.record.Refer(firstBytes(o.GetName(), maxAuditText), firstBytes(string(o.GetUID()), maxAuditText), firstBytes(o.GetResourceVersion(), maxAuditText))
	}
	if !c.record.Wants(audit.LevelRequest) {
		return
	}
	if data, err := serializer.Append(nil, obj, serializer.JSON, false); err == nil {
		c.record.SetRequestObject(bytes.TrimSpace(data))
	}
}

// recordBody keeps a body that is no object: a patch, or options. It may be YAML. What is neither
// JSON nor YAML is kept as a text.
func (c *call) recordBody(body []byte) {
	if c.record == nil || !c.record.Wants(audit.LevelRequest) || len(body) == 0 {
		return
	}
	if !json.Valid(body) {
		converted, _, err := serializer.YAMLToJSON(body)
		if err != nil {
			converted = encodeJSON(strings.ToValidUTF8(string(body), "\uFFFD"), "")
		}
		body = converted
	}
	c.record.SetRequestObject(body)
}

// recordedBodies says what annotations may show.
func (c *call) recordedBodies() rest.Bodies {
	switch {
	case c.record.Wants(audit.LevelRequest):
		return rest.BodiesKept
	case c.record.Quiet():
		return rest.BodiesSecret
	}
	return rest.BodiesLeftOut
}

// maxRecordedAnswer is how many bytes of an answer are kept.
const maxRecordedAnswer = 3 << 20

var errAnswerTooLong = errors.New("the answer is too long for the audit log")

// recordView keeps the answer, as JSON, whatever the client asked for.
func (c *call) recordView(view rest.View, rep rest.Representation) {
	if c.record == nil || !c.record.Wants(audit.LevelRequestResponse) {
		return
	}
	rep.MediaType, rep.Pretty = rest.JSON, false
	var out bytes.Buffer
	if err := view.WriteTo(&boundedWriter{&out, maxRecordedAnswer}, rep); err != nil {
		c.record.Annotate("audit.typeplane.io/response-object", "left out: "+err.Error())
		return
	}
	c.record.SetResponseObject(bytes.TrimSpace(out.Bytes()))
}

type boundedWriter struct {
	out  *bytes.Buffer
	left int
}

func (w *boundedWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errAnswerTooLong
	}
	return w.out.Write(p)
}

var _ io.Writer = (*boundedWriter)(nil)

func auditUser(u *auth.User) audit.User {
	if u == nil {
		return audit.User{}
	}
	return audit.User{Username: u.Name, UID: u.UID, Groups: u.Groups, Extra: u.Extra}
}

func objectReference(i requestInfo) *audit.ObjectReference {
	if !i.IsResource {
		return nil
	}
	short := func(text string) string { return firstBytes(text, maxAuditText) }
	return &audit.ObjectReference{
		APIGroup: short(i.Group), APIVersion: short(i.Version), Resource: short(i.Resource), Subresource: short(i.Subresource),
		Namespace: short(i.Namespace), Name: short(i.Name),
	}
}

// recordedURI is the URI in the audit log, without credentials. That of a client without a
// credential is cut, because it could fill the log and push out the events of others.
func recordedURI(req *http.Request, user *auth.User) string {
	plain := *req.URL
	plain.RawQuery = maskCredentials(plain.RawQuery)
	uri := plain.RequestURI()
	if user == nil || user.In(auth.GroupUnauthenticated) {
		return firstBytes(uri, maxAuditText)
	}
	return uri
}

// sourceIPs are the addresses that proxies say. The last is the address that the connection comes
// from; only that is certain.
func sourceIPs(req *http.Request) []string {
	var ips []string
	add := func(text string) {
		if ip := net.ParseIP(strings.TrimSpace(text)); ip != nil && len(ips) < maxAuditIPs {
			ips = append(ips, ip.String())
		}
	}
	for part := range strings.SplitSeq(req.Header.Get("X-Forwarded-For"), ",") {
		add(part)
	}
	add(req.Header.Get("X-Real-Ip"))
	remote, _, err := net.SplitHostPort(req.RemoteAddr)
	if ip := net.ParseIP(remote); err == nil && ip != nil && (len(ips) == 0 || ips[len(ips)-1] != ip.String()) {
		ips = append(ips, ip.String())
	}
	return ips
}

// auditing are the fields of a call that are about its record.
type auditing struct {
	begun    time.Time
	record   *audit.Record // nil: nothing is kept
	failure  *metav1.Status
	panicked bool
}
