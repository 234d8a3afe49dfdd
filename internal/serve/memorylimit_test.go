package serve

import (
	"os"
	"testing"
	"testing/fstest"
)

func TestMemoryLimit(t *testing.T) {
	for _, tc := range []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"no control groups", nil, 0},
		{"no limit", map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n"}, 0},
		{"version 2", map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "536870912\n"}, 512 << 20},
		{"the outer group has less", map[string]string{
			"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "536870912\n", "sys/fs/cgroup/a/memory.max": "268435456\n",
		}, 256 << 20},
		{"version 1", map[string]string{
			"proc/self/cgroup": "3:cpu:/\n4:memory:/a\n0::/\n", "sys/fs/cgroup/memory/a/memory.limit_in_bytes": "536870912\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
		}, 512 << 20},
		{"a container that sees the path of its host", map[string]string{
			"proc/self/cgroup": "4:memory:/kubepods/x\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "268435456\n",
		}, 256 << 20},
		{"something else", map[string]string{"proc/self/cgroup": "what\n0::/\n", "sys/fs/cgroup/memory.max": "is this\n"}, 0},
	} {
		root := fstest.MapFS{}
		for name, text := range tc.files {
			root[name] = &fstest.MapFile{Data: []byte(text)}
		}
		if got, ok := memoryLimit(root); ok != (tc.want > 0) || ok && got != tc.want {
			t.Errorf("%s: %d, %v, want %d", tc.name, got, ok, tc.want)
		}
	}
	memoryLimit(os.DirFS("/")) // whatever there is here
}
