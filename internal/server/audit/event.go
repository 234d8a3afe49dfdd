package audit

import (
	"cmp"
	"encoding/json"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Level is how much of a request is kept.
type Level string

// The levels, each with what the one before has.
const (
	LevelNone            Level = "None"
	LevelMetadata        Level = "Metadata"
	LevelRequest         Level = "Request"
	LevelRequestResponse Level = "RequestResponse"
)

// rank orders the levels; 0 is none of them.
func (l Level) rank() int {
	switch l {
	case LevelNone:
		return 1
	case LevelMetadata:
		return 2
	case LevelRequest:
		return 3
	case LevelRequestResponse:
		return 4
	}
	return 0
}

// Stage is how far the request has come.
type Stage string

// The stages. ResponseStarted is for watches, Panic takes the place of ResponseComplete.
const (
	StageRequestReceived  Stage = "RequestReceived"
	StageResponseStarted  Stage = "ResponseStarted"
	StageResponseComplete Stage = "ResponseComplete"
	StagePanic            Stage = "Panic"
)

// Event is a line of the log, as audit.k8s.io/v1 has it.
type Event struct {
	Kind                     string            `json:"kind"`
	APIVersion               string            `json:"apiVersion"`
	Level                    Level             `json:"level"`
	AuditID                  string            `json:"auditID"`
	Stage                    Stage             `json:"stage"`
	RequestURI               string            `json:"requestURI"`
	Verb                     string            `json:"verb"`
	User                     User              `json:"user"`
	ImpersonatedUser         *User             `json:"impersonatedUser,omitempty"`
	SourceIPs                []string          `json:"sourceIPs,omitempty"`
	UserAgent                string            `json:"userAgent,omitempty"`
	ObjectRef                *ObjectReference  `json:"objectRef,omitempty"`
	ResponseStatus           *Status           `json:"responseStatus,omitempty"`
	RequestObject            json.RawMessage   `json:"requestObject,omitempty"`
	ResponseObject           json.RawMessage   `json:"responseObject,omitempty"`
	RequestReceivedTimestamp metav1.MicroTime  `json:"requestReceivedTimestamp"`
	StageTimestamp           metav1.MicroTime  `json:"stageTimestamp"`
	Annotations              map[string]string `json:"annotations,omitempty"`
}

// User is who asks.
type User struct {
	Username string              `json:"username,omitempty"`
	UID      string              `json:"uid,omitempty"`
	Groups   []string            `json:"groups,omitempty"`
	Extra    map[string][]string `json:"extra,omitempty"`
}

// ObjectReference is what the request is about.
type ObjectReference struct {
	Resource        string `json:"resource,omitempty"`
	Namespace       string `json:"namespace,omitempty"`
	Name            string `json:"name,omitempty"`
	UID             string `json:"uid,omitempty"`
	APIGroup        string `json:"apiGroup,omitempty"`
	APIVersion      string `json:"apiVersion,omitempty"`
	ResourceVersion string `json:"resourceVersion,omitempty"`
	Subresource     string `json:"subresource,omitempty"`
}

// Status is how the request ended.
type Status struct {
	Metadata struct{} `json:"metadata"`
	Status   string   `json:"status,omitempty"`
	Message  string   `json:"message,omitempty"`
	Reason   string   `json:"reason,omitempty"`
	Code     int      `json:"code"`
}

// Record is one request on its way. It stays on one goroutine. The Log that made it has already
// decided its level.
type Record struct {
	log      *Log
	event    Event
	decision decision
}

// Wants says whether the record keeps as much as level; what it does not want need not be made.
func (r *Record) Wants(level Level) bool { return r.event.Level.rank() >= level.rank() }

// Quiet says that the objects of the request are secrets, which nothing in the event may quote.
func (r *Record) Quiet() bool { return r.decision.quiet }

// Impersonates says as whom the user acts.
func (r *Record) Impersonates(u User) { r.event.ImpersonatedUser = &u }

// Annotate adds to the event. A key that is there already keeps its value.
func (r *Record) Annotate(key, value string) {
	if r.event.Annotations == nil {
		r.event.Annotations = map[string]string{}
	}
	if _, there := r.event.Annotations[key]; !there {
		r.event.Annotations[key] = value
	}
}

// Refer adds what the path of the request did not say about its object, such as the name of one
// that is created.
func (r *Record) Refer(name, uid, resourceVersion string) {
	o := r.event.ObjectRef
	if o == nil {
		return
	}
	o.Name, o.UID, o.ResourceVersion = cmp.Or(o.Name, name), cmp.Or(o.UID, uid), cmp.Or(o.ResourceVersion, resourceVersion)
}

// SetRequestObject keeps the body of the request, which is JSON, if the record wants it. data is
// not modified afterwards.
func (r *Record) SetRequestObject(data []byte) {
	if r.Wants(LevelRequest) {
		r.event.RequestObject = r.decision.trim(data)
	}
}

// SetResponseObject keeps the body of the answer, which is JSON, if the record wants it. data is
// not modified afterwards.
func (r *Record) SetResponseObject(data []byte) {
	if r.Wants(LevelRequestResponse) {
		r.event.ResponseObject = r.decision.trim(data)
	}
}

// SetStatus says how the request ended. Its message is left out where the body is not kept for what
// it could hold, for an error quotes what was wrong.
func (r *Record) SetStatus(s Status) {
	if r.decision.quiet {
		s.Message = ""
	}
	r.event.ResponseStatus = &s
}

// Emit writes the record as it is now, unless the policy leaves the stage out.
func (r *Record) Emit(stage Stage) {
	if r.decision.omits(stage) {
		return
	}
	r.event.Stage, r.event.StageTimestamp = stage, metav1.NewMicroTime(time.Now())
	r.log.emit(&r.event)
}
