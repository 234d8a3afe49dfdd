package kubernetes

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/typeplane/typeplane/registry"
)

// Proxy answers all paths below …/nodes/{name}/proxy: they are those of the kubelet, with the query
// of the client.
func (NodeStrategy) Proxy(_ context.Context, of *registry.Parent[*corev1.Node], opts *corev1.NodeProxyOptions) (http.Handler, error) {
	return kubelets.handlerOf(of.Object, cmp.Or(opts.Path, "/"), func(req *http.Request) string { return req.URL.RawQuery })
}

// Log answers …/pods/{name}/log with what a container has printed.
func (PodStrategy) Log(ctx context.Context, of *registry.Parent[*corev1.Pod], opts *corev1.PodLogOptions) (http.Handler, error) {
	if opts.InsecureSkipTLSVerifyBackend {
		return nil, apierrors.NewBadRequest("insecureSkipTLSVerifyBackend: a kubelet needs a certificate of the cluster's authority here; leave it out")
	}
	container, err := containerOf(of.Object, opts.Container)
	if err != nil {
		return nil, err
	}
	if of.Object.Spec.NodeName == "" {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }), nil // nothing has run
	}
	query := url.Values{}
	for name, is := range map[string]bool{"follow": opts.Follow, "previous": opts.Previous, "timestamps": opts.Timestamps} {
		if is {
			query.Set(name, "true")
		}
	}
	for name, n := range map[string]*int64{"sinceSeconds": opts.SinceSeconds, "tailLines": opts.TailLines, "limitBytes": opts.LimitBytes} {
		if n != nil {
			query.Set(name, strconv.FormatInt(*n, 10))
		}
	}
	if opts.SinceTime != nil {
		query.Set("sinceTime", opts.SinceTime.Format(time.RFC3339))
	}
	if opts.Stream != nil {
		query.Set("stream", *opts.Stream)
	}
	return toContainer(ctx, of.Object, "containerLogs", container, query)
}

// Exec answers …/pods/{name}/exec: a command runs in a container, and its streams are the client's.
func (PodStrategy) Exec(ctx context.Context, of *registry.Parent[*corev1.Pod], opts *corev1.PodExecOptions) (http.Handler, error) {
	query := streams(opts.Stdin, opts.Stdout, opts.Stderr, opts.TTY)
	query["command"] = opts.Command
	return stream(ctx, of.Object, "exec", opts.Container, query)
}

// Attach answers …/pods/{name}/attach: the streams of a container are the client's.
func (PodStrategy) Attach(ctx context.Context, of *registry.Parent[*corev1.Pod], opts *corev1.PodAttachOptions) (http.Handler, error) {
	return stream(ctx, of.Object, "attach", opts.Container, streams(opts.Stdin, opts.Stdout, opts.Stderr, opts.TTY))
}

// Portforward answers …/pods/{name}/portforward: connections of the client end in the pod.
func (PodStrategy) Portforward(ctx context.Context, of *registry.Parent[*corev1.Pod], opts *corev1.PodPortForwardOptions) (http.Handler, error) {
	pod := of.Object
	if err := onNode(pod); err != nil {
		return nil, err
	}
	query := url.Values{}
	for _, port := range opts.Ports {
		query.Add("port", strconv.Itoa(int(port)))
	}
	return kubelets.handler(ctx, pod.Spec.NodeName, fmt.Sprintf("/portForward/%s/%s", pod.Namespace, pod.Name), query)
}

func stream(ctx context.Context, pod *corev1.Pod, what, container string, query url.Values) (http.Handler, error) {
	name, err := containerOf(pod, container)
	if err != nil {
		return nil, err
	}
	if err := onNode(pod); err != nil {
		return nil, err
	}
	return toContainer(ctx, pod, what, name, query)
}

func toContainer(ctx context.Context, pod *corev1.Pod, what, container string, query url.Values) (http.Handler, error) {
	return kubelets.handler(ctx, pod.Spec.NodeName, fmt.Sprintf("/%s/%s/%s/%s", what, pod.Namespace, pod.Name, container), query)
}

func onNode(pod *corev1.Pod) error {
	if pod.Spec.NodeName == "" {
		return apierrors.NewBadRequest(fmt.Sprintf("pod %s does not have a host assigned", pod.Name))
	}
	return nil
}

// streams are those that a client wants, as a kubelet calls them.
func streams(stdin, stdout, stderr, tty bool) url.Values {
	query := url.Values{}
	for name, is := range map[string]bool{"input": stdin, "output": stdout, "error": stderr, "tty": tty} {
		if is {
			query.Set(name, "1")
		}
	}
	return query
}

// containerOf is the container that a client means; it need not say which one if there is no other.
func containerOf(pod *corev1.Pod, name string) (string, error) {
	var first, all []string
	for i := range pod.Spec.Containers {
		first = append(first, pod.Spec.Containers[i].Name)
	}
	for i := range pod.Spec.InitContainers {
		all = append(all, pod.Spec.InitContainers[i].Name)
	}
	for i := range pod.Spec.EphemeralContainers {
		all = append(all, pod.Spec.EphemeralContainers[i].Name)
	}
	switch all = append(slices.Clone(first), all...); {
	case name == "" && len(first) == 1:
		return first[0], nil
	case name == "":
		return "", apierrors.NewBadRequest(fmt.Sprintf("a container name must be specified for pod %s, choose one of: %s", pod.Name, all))
	case !slices.Contains(all, name):
		return "", apierrors.NewBadRequest(fmt.Sprintf("container %s is not valid for pod %s", name, pod.Name))
	}
	return name, nil
}
