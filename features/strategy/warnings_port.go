package strategy

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// port is one of a pod, and the how-many-th it is there.
type port struct {
	*corev1.ContainerPort
	in           slot
	index, order int
}

func (p *port) at(pod root) string { return fmt.Sprintf("%s%s.ports[%d]", pod, p.in, p.index) }

// ports looks for ports of a pod that get into each other's way, in whichever containers they are.
func (w *Warnings) ports(at root, spec *corev1.PodSpec) {
	var few [16]port // most pods need no memory of their own
	all := few[:0]
	eachContainer(spec, func(in slot, c *corev1.Container) {
		for i := range c.Ports {
			p := port{&c.Ports[i], in, i, len(all)}
			if all = append(all, p); p.HostIP != "" && p.HostPort == 0 {
				w.Add("%s: hostIP set without hostPort: %+v", p.at(at), *p.ContainerPort)
			}
		}
	})
	w.samePorts(at, all)
	w.samePortNames(at, all)
}

// samePorts sorts ports so that those which clash with one follow it at once. So each comparison
// but one finds something to say.
func (w *Warnings) samePorts(at root, all []port) {
	slices.SortFunc(all, func(a, b port) int {
		return cmp.Or(cmp.Compare(a.ContainerPort.ContainerPort, b.ContainerPort.ContainerPort), cmp.Compare(a.Protocol, b.Protocol),
			cmp.Compare(a.HostPort, b.HostPort), cmp.Compare(a.HostIP, b.HostIP), cmp.Compare(a.order, b.order))
	})
	for i := range all {
		for j := i + 1; j < len(all) && !w.full(); j++ {
			how := clash(&all[i], &all[j])
			if how == "" {
				break
			}
			earlier, later := &all[i], &all[j]
			if earlier.order > later.order {
				earlier, later = later, earlier
			}
			w.Add("%s: %s port definition with %s", later.at(at), how, earlier.at(at))
		}
	}
}

// clash says how two ports are in each other's way; "" if they are not.
func clash(a, b *port) string {
	sameHostPort := a.HostPort == b.HostPort
	switch {
	case a.ContainerPort.ContainerPort != b.ContainerPort.ContainerPort || a.Protocol != b.Protocol:
		return ""
	case sameHostPort && a.HostIP == b.HostIP:
		return "duplicate"
	case a.HostPort == 0 || b.HostPort == 0:
		return "overlapping"
	case sameHostPort && (a.HostIP == "" || b.HostIP == ""):
		return "dangerously ambiguous"
	}
	return ""
}

// samePortNames looks for names of several ports: who asks for a port by its name gets the first.
func (w *Warnings) samePortNames(at root, all []port) {
	slices.SortFunc(all, func(a, b port) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.order, b.order)) })
	first := 0
	for i := range all {
		if all[i].Name != all[first].Name {
			first = i
		}
		if i > first && all[i].Name != "" && !w.full() {
			place := all[first].at(at)
			w.Add("%s: duplicate port name %q with %s, services and probes that select ports by name will use %s", all[i].at(at), all[i].Name, place, place)
		}
	}
}
