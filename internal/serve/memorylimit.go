package serve

import (
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
)

// memoryLimit is how many bytes of memory the control groups of the process let it have. ok is
// false if there is no limit, or none that can be read. root is the root directory. The files are
// those of cgroups(7).
func memoryLimit(root fs.FS) (bytes int64, ok bool) {
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return 0, false
	}
	bytes = math.MaxInt64
	for line := range strings.Lines(string(groups)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		switch {
		case fields[0] == "0" && fields[1] == "":
			bytes = min(bytes, lowest(root, "sys/fs/cgroup", fields[2], "memory.max"))
		case fields[1] == "memory":
			bytes = min(bytes, lowest(root, "sys/fs/cgroup/memory", fields[2], "memory.limit_in_bytes"))
		}
	}
	return bytes, bytes < unlimited
}

// unlimited is from when on a limit is none: version 1 has no word for that, but a large number.
const unlimited = 1 << 60

// lowest is the lowest limit of a group and of those that it is in. In a container the group's path
// may be that of the host; then there is the mount alone.
func lowest(root fs.FS, mount, group, file string) int64 {
	bytes := int64(math.MaxInt64)
	for dir := path.Join(mount, group); strings.HasPrefix(dir, mount); dir = path.Dir(dir) {
		text, err := fs.ReadFile(root, path.Join(dir, file))
		if err != nil {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil {
			bytes = min(bytes, n)
		}
	}
	return bytes
}
