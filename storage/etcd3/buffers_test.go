package etcd3

import "testing"

func TestBuffers(t *testing.T) {
	var b buffers
	for range 3 {
		for _, n := range []int{0, 1, smallBuffer, smallBuffer + 1, frameBuffer, frameBuffer + 1, 1 << 20} {
			buffer := b.Get(n)
			if len(*buffer) != n {
				t.Fatalf("Get(%d) is %d long", n, len(*buffer))
			}
			if n > frameBuffer && cap(*buffer) > 2*n {
				t.Errorf("Get(%d) has room for %d", n, cap(*buffer))
			}
			for i := range *buffer {
				(*buffer)[i] = 1
			}
			*buffer = (*buffer)[:n/2]
			b.Put(buffer)
		}
	}
	b.Put(new([]byte)) // of another pool
	if buffer := b.Get(10); len(*buffer) != 10 {
		t.Errorf("it is %d long", len(*buffer))
	}
}
