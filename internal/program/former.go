package program

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// former is a flag of other API servers, or of older ones, that changes nothing here. A command
// line that has it is taken if it asks for what is so in any case, with a note at the start; what
// can't be had is refused with its reason.
type former struct {
	name string
	// bare is the value of the flag that is given without one; "" needs one.
	bare string
	// judge returns what is to be said of a value, or why it can't be had.
	judge func(value string) (note string, err error)
}

var formerFlags = []former{
	{"enable-garbage-collector", "true", judgeCollector},
	{"etcd-quorum-read", "true", judgeQuorumRead},
	{"storage-backend", "", judgeBackend},
	{"watch-cache-sizes", "", judgeCacheSizes},
	{"default-watch-cache-size", "", judgeCacheSize},
}

// addFormerFlags adds them; what is to be said of those that are given goes to notes.
func addFormerFlags(fs *pflag.FlagSet, notes *[]string) {
	for _, f := range formerFlags {
		fs.Var(&formerValue{former: f, notes: notes}, f.name, "changes nothing")
		fs.Lookup(f.name).Hidden = true
		fs.Lookup(f.name).NoOptDefVal = f.bare
	}
}

// FormerNames lists them for the help.
func FormerNames() string {
	var names []string
	for _, f := range formerFlags {
		names = append(names, "--"+f.name)
	}
	return strings.Join(names, ", ")
}

// formerValue is a former flag as it is parsed.
type formerValue struct {
	former
	notes *[]string
	value string
}

// Set implements pflag.Value.
func (f *formerValue) Set(value string) error {
	note, err := f.judge(value)
	if err != nil {
		return err
	}
	f.value = value
	*f.notes = append(*f.notes, fmt.Sprintf("--%s=%s changes nothing: %s", f.name, value, note))
	return nil
}

func (f *formerValue) String() string { return f.value }

func (f *formerValue) Type() string { return "string" }

func judgeCollector(value string) (string, error) {
	enabled, err := strconv.ParseBool(value)
	if err != nil {
		return "", fmt.Errorf("want true, or nothing: %w", err)
	}
	if !enabled {
		return "", fmt.Errorf("say --garbage-collector=%s", CollectNever)
	}
	return "who collects is said by --garbage-collector; where a kube-controller-manager does, it is " + CollectBeside, nil
}

func judgeQuorumRead(value string) (string, error) {
	quorum, err := strconv.ParseBool(value)
	if err != nil {
		return "", fmt.Errorf("want true, or nothing: %w", err)
	}
	if !quorum {
		return "", fmt.Errorf("can't be turned off: every read without resourceVersion=0 is linearizable; leave the flag out")
	}
	return "every read without resourceVersion=0 is linearizable", nil
}

func judgeBackend(value string) (string, error) {
	if value != "etcd3" {
		return "", fmt.Errorf("%q is not supported: objects are kept in etcd v3 only; copy the data into an etcd v3 cluster, or start with an empty one", value)
	}
	return "etcd3 is the only backend", nil
}

// cacheSize is said of the sizes that watch caches are to have.
const cacheSize = "a watch cache holds all objects, and the events of 75 s as far as they fit into 64 MiB or a quarter of the size of the objects"

func judgeCacheSizes(value string) (string, error) {
	for item := range strings.SplitSeq(value, ",") {
		resource, size, ok := strings.Cut(item, "#")
		if !ok || resource == "" {
			return "", fmt.Errorf("%q: want resource.group#size, like pods#100", item)
		}
		if _, err := judgeCacheSize(size); err != nil {
			return "", fmt.Errorf("%s: %w", resource, err)
		}
	}
	return cacheSize, nil
}

func judgeCacheSize(value string) (string, error) {
	size, err := strconv.ParseUint(value, 10, 31)
	switch {
	case err != nil:
		return "", fmt.Errorf("%q: want how many events, a number from 1", value)
	case size == 0:
		return "", fmt.Errorf("0 would turn the cache off, which is possible for all resources only: --watch-cache=false")
	}
	return cacheSize, nil
}
