package fairness

import "slices"

// Config is the schemas and levels of a server. It is not modified once a Controller has it.
type Config struct {
	Schemas []Schema
	Levels  []Level
}

// Names that every Config has: Controller.Set adds what is missing.
const (
	// Exempt is the level of requests that never wait, and the schema of administrators.
	Exempt = "exempt"
	// CatchAll is the schema, and the level, of requests that no other schema is about.
	CatchAll = "catch-all"
)

// All stands for every name where a rule lists names. It stands alone.
const All = "*"

// A Schema says what becomes of some requests.
type Schema struct {
	Name, UID string
	// Level is the name of the level that the requests belong to.
	Level string
	// Precedence orders schemas: the first one that matches counts. Schemas of the same precedence
	// are in the order of their names.
	Precedence int32
	// By tells the flows of the requests apart.
	By Distinguisher
	// Rules are those of which one must match.
	Rules []Rule
}

// Distinguisher is what tells the flows of a schema apart: in a level they share its seats.
type Distinguisher string

// The values of Distinguisher; the empty one makes all requests of a schema one flow.
const (
	ByUser      Distinguisher = "ByUser"
	ByNamespace Distinguisher = "ByNamespace"
)

// A Rule is about the requests of some subjects, for some resources or paths.
type Rule struct {
	Subjects  []Subject
	Resources []ResourceRule
	Paths     []PathRule
}

// SubjectKind says what the name of a Subject is.
type SubjectKind string

// The values of SubjectKind.
const (
	User           SubjectKind = "User"
	Group          SubjectKind = "Group"
	ServiceAccount SubjectKind = "ServiceAccount"
)

// A Subject is a user, a group, or a service account in a namespace. The name may be All.
type Subject struct {
	Kind            SubjectKind
	Namespace, Name string
}

// A ResourceRule is about requests for resources. Resources may have a subresource: "pods/log".
type ResourceRule struct {
	Verbs, Groups, Resources []string
	// Namespaces are those of the requests; ClusterScope adds requests without one.
	Namespaces   []string
	ClusterScope bool
}

// A PathRule is about requests for paths that are no resources. A path that ends in "/*" is a
// prefix.
type PathRule struct {
	Verbs, Paths []string
}

// A Level is requests that share seats.
type Level struct {
	Name, UID string
	// Exempt requests never wait. The other fields are about levels that are not, except that an
	// exempt one has a share, too, which it may lend.
	Exempt bool
	// Shares is how large a part of the server's seats belongs to the level, among the shares of
	// all levels.
	Shares int32
	// LendablePercent is which part of its seats others may borrow. BorrowingLimitPercent is how
	// many it may borrow itself, in relation to its own; nil: as many as there are.
	LendablePercent       int32
	BorrowingLimitPercent *int32
	// Queuing says how requests wait; nil: they don't, but are refused.
	Queuing *Queuing
}

// Queuing says how the requests of a level wait. Each flow has a hand of the queues.
type Queuing struct {
	Queues, HandSize int32
	// Length is how many requests may wait in one queue.
	Length int32
}

// complete adds the levels and schemas that every server has. Schemas whose level is not there are
// left out by the Controller: their requests belong to later schemas.
func (c Config) complete() Config {
	mandatory := Mandatory()
	levels, schemas := slices.Clone(c.Levels), slices.Clone(c.Schemas)
	for _, level := range mandatory.Levels {
		if !slices.ContainsFunc(levels, func(l Level) bool { return l.Name == level.Name }) {
			levels = append(levels, level)
		}
	}
	for _, schema := range mandatory.Schemas {
		if !slices.ContainsFunc(schemas, func(s Schema) bool { return s.Name == schema.Name }) {
			schemas = append(schemas, schema)
		}
	}
	return Config{Schemas: schemas, Levels: levels}
}
