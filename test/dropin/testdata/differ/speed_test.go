package differ

import (
	"testing"
	"time"

	theircore "k8s.io/api/core/v1"

	ourcore "generated.example/api/core/v1"
)

// Ours is about as fast as theirs, or faster. Both are measured in turns, and the best of many rounds counts, so that
// what else the machine does hardly matters.
func TestSpeed(t *testing.T) {
	if testing.Short() {
		t.Skip("no comparison of times is certain on a machine that has other things to do")
	}
	pod := typicalPod(t)
	for _, c := range []struct {
		name string
		data []byte
		make [2]func() message
	}{
		{"pod with every field", fixture(t, "core.v1.Pod"), [2]func() message{newTheirPod, newOurPod}},
		{"typical pod", pod, [2]func() message{newTheirPod, newOurPod}},
		{"list of 100 pods", podList(pod, 100), [2]func() message{newTheirList, newOurList}},
	} {
		var m [2]message
		for i := range m {
			m[i] = c.make[i]()
			if err := m[i].Unmarshal(c.data); err != nil {
				t.Fatal(err)
			}
		}
		buffer := make([]byte, m[0].Size())
		for _, op := range []struct {
			name string
			do   func(i int)
		}{
			{"Size", func(i int) { m[i].Size() }},
			{"Marshal", func(i int) { _, _ = m[i].Marshal() }},
			{"MarshalToSizedBuffer", func(i int) { _, _ = m[i].MarshalToSizedBuffer(buffer) }},
			{"Unmarshal", func(i int) { _ = c.make[i]().Unmarshal(c.data) }},
		} {
			best := race(op.do)
			ratio := float64(best[0]) / float64(best[1])
			t.Logf("%-20s %-20s theirs %9v, ours %9v: %.2f times as fast", c.name, op.name, best[0], best[1], ratio)
			if ratio < 0.6 {
				t.Errorf("%s of a %s is too slow", op.name, c.name)
			}
		}
	}
}

func newTheirPod() message  { return &theircore.Pod{} }
func newOurPod() message    { return &ourcore.Pod{} }
func newTheirList() message { return &theircore.PodList{} }
func newOurList() message   { return &ourcore.PodList{} }

// race returns the best time of each.
func race(do func(i int)) (best [2]time.Duration) {
	loops := 1
	for round := 0; round < 40; {
		var took [2]time.Duration
		for i := range took {
			start := time.Now()
			for range loops {
				do(i)
			}
			took[i] = time.Since(start)
		}
		if took[0] < time.Millisecond {
			loops *= 2
			continue
		}
		round++
		for i := range took {
			if each := took[i] / time.Duration(loops); best[i] == 0 || each < best[i] {
				best[i] = each
			}
		}
	}
	return best
}
