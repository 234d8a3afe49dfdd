package limitrange

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"

	"github.com/typeplane/typeplane/admission"
)

// PluginName is what flags call the plug-in.
const PluginName = "LimitRanger"

// annotation tells in a pod what came from limit ranges.
const annotation = "kubernetes.io/limit-ranger"

// Config is what the plug-in needs.
type Config struct {
	// LimitRanges returns those of a namespace. What it returns is not modified.
	LimitRanges func(ctx context.Context, namespace string) ([]corev1.LimitRange, error)
}

// New returns the plug-in.
func New(config Config) admission.Plugin {
	p := &plugin{config}
	return admission.Plugin{Name: PluginName, Wants: wants, Mutate: p.fill, Validate: p.judge}
}

type plugin struct{ Config }

// wants is for new pods, for pods that get other resources, and for claims. Nothing else of a pod
// can be changed that a limit range speaks of.
func wants(r *admission.Request) bool {
	if r.Resource.Group != "" || r.Operation != admission.Create && r.Operation != admission.Update {
		return false
	}
	switch r.Resource.Resource {
	case "pods":
		return r.Operation == admission.Create && r.Subresource == "" || r.Operation == admission.Update && r.Subresource == "resize"
	case "persistentvolumeclaims":
		return r.Subresource == ""
	}
	return false
}

// fill gives the containers of a pod the requests and limits that they don't have.
func (p *plugin) fill(ctx context.Context, r *admission.Request) error {
	pod, ok := r.Object.(*corev1.Pod)
	if !ok {
		return nil
	}
	ranges, err := p.LimitRanges(ctx, r.Namespace)
	if err != nil {
		return err
	}
	var set []string
	for i := range ranges {
		set = append(set, fillPod(pod, &ranges[i])...)
	}
	if len(set) > 0 {
		if pod.Annotations == nil {
			pod.Annotations = map[string]string{}
		}
		pod.Annotations[annotation] = "LimitRanger plugin set: " + strings.Join(set, "; ")
	}
	return nil
}

// fillPod applies one limit range, and says what came of it.
func fillPod(pod *corev1.Pod, limits *corev1.LimitRange) (set []string) {
	defaults := corev1.ResourceRequirements{Requests: corev1.ResourceList{}, Limits: corev1.ResourceList{}}
	for _, item := range limits.Spec.Limits {
		if item.Type == corev1.LimitTypeContainer {
			add(defaults.Requests, item.DefaultRequest)
			add(defaults.Limits, item.Default)
		}
	}
	for i := range pod.Spec.Containers {
		set = append(set, fillContainer(&pod.Spec.Containers[i], "container", defaults)...)
	}
	for i := range pod.Spec.InitContainers {
		set = append(set, fillContainer(&pod.Spec.InitContainers[i], "init container", defaults)...)
	}
	return set
}

func fillContainer(c *corev1.Container, what string, defaults corev1.ResourceRequirements) (set []string) {
	note := func(names []string, part string) {
		if len(names) > 0 {
			slices.Sort(names)
			set = append(set, strings.Join(names, ", ")+" "+part+" for "+what+" "+c.Name)
		}
	}
	note(fillList(&c.Resources.Requests, defaults.Requests), "request")
	note(fillList(&c.Resources.Limits, defaults.Limits), "limit")
	return set
}

// add puts the quantities of one list into another.
func add(to, from corev1.ResourceList) {
	for name, q := range from {
		to[name] = q.DeepCopy()
	}
}

// fillList adds what is only in defaults, and returns the names of that.
func fillList(list *corev1.ResourceList, defaults corev1.ResourceList) (names []string) {
	for name, q := range defaults {
		if _, there := (*list)[name]; there {
			continue
		}
		if *list == nil {
			*list = corev1.ResourceList{}
		}
		(*list)[name] = q.DeepCopy()
		names = append(names, string(name))
	}
	return names
}

// judge compares an object with every limit range of its namespace.
func (p *plugin) judge(ctx context.Context, r *admission.Request) error {
	var against func(*corev1.LimitRange) []error
	switch obj := r.Object.(type) {
	case *corev1.Pod:
		against = func(limits *corev1.LimitRange) []error { return judgePod(obj, limits) }
	case *corev1.PersistentVolumeClaim:
		against = func(limits *corev1.LimitRange) []error { return judgeClaim(obj, limits) }
	default:
		return nil
	}
	ranges, err := p.LimitRanges(ctx, r.Namespace)
	if err != nil {
		return err
	}
	for i := range ranges {
		if errs := against(&ranges[i]); len(errs) > 0 {
			return utilerrors.NewAggregate(errs[:min(len(errs), maxErrors)])
		}
	}
	return nil
}
