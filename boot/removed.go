package boot

import (
	"fmt"

	"github.com/spf13/pflag"
)

// removed is a flag that API servers once had. It is refused with its reason rather than as an unknown flag, so
// that whoever brings an old command line learns what to do.
type removed struct {
	name   string
	reason func(value string) string
}

func removedFlags() []removed {
	return []removed{
		{"etcd-quorum-read", func(string) string {
			return "every read without resourceVersion=0 is linearizable; leave the flag out"
		}},
		{"storage-backend", func(value string) string {
			if value == "etcd3" {
				return "etcd3 is the only backend; leave the flag out"
			}
			return value + " is not supported, objects are kept in etcd v3 only; copy the data into an etcd v3 cluster, or start with an empty one"
		}},
	}
}

func refuseRemovedFlags(fs *pflag.FlagSet) {
	for _, r := range removedFlags() {
		fs.Var(refusal{r}, r.name, "removed")
		fs.Lookup(r.name).Hidden = true
		fs.Lookup(r.name).NoOptDefVal = "true"
	}
}

// refusal is a flag value that can't be set.
type refusal struct{ removed }

func (r refusal) Set(value string) error { return fmt.Errorf("removed: %s", r.reason(value)) }
func (r refusal) String() string         { return "" }
func (r refusal) Type() string           { return "string" }
