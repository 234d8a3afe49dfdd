package serviceaccount

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/internal/wait"
)

// PluginName is what flags call the plug-in.
const PluginName = "ServiceAccount"

const (
	// mirrorAnnotation marks a pod that shows one which a node runs from a file. It is not changed.
	mirrorAnnotation = "kubernetes.io/config.mirror"

	ephemeralContainers = "ephemeralcontainers"
)

// While the default account may be on its way it is looked for again and again. That takes ten
// seconds, since the controller that makes it has as busy a machine as everybody else.
const (
	attempts = 100
	pause    = 100 * time.Millisecond
)

// Config is what the plug-in needs.
type Config struct {
	// Account returns a service account, which is not modified. It fails with NotFound if there is
	// none. live asks the store; otherwise the answer may be a little old.
	Account func(ctx context.Context, namespace, name string, live bool) (*corev1.ServiceAccount, error)
	// Wait returns after d, or when ctx ends; nil waits for real.
	Wait func(ctx context.Context, d time.Duration)
}

// New returns the plug-in ServiceAccount. It lets every new pod run as a service account that is
// there, with the account's image pull secrets. Unless the pod or the account says otherwise it
// gets a token for the server. It makes neither accounts nor tokens: a node asks for the token when
// it runs the pod. mount.go mounts the token, secrets.go judges which secrets a pod refers to.
func New(config Config) admission.Plugin {
	p := &plugin{config}
	if p.Wait == nil {
		p.Wait = func(ctx context.Context, d time.Duration) { _ = wait.Sleep(ctx, d) }
	}
	return admission.Plugin{Name: PluginName, Wants: wants, Mutate: p.complete, Validate: p.judge}
}

type plugin struct{ Config }

func wants(r *admission.Request) bool {
	if r.Resource.Group != "" || r.Resource.Resource != "pods" {
		return false
	}
	return r.Operation == admission.Create && r.Subresource == "" || r.Operation == admission.Update && r.Subresource == ephemeralContainers
}

// complete gives a new pod what its account has for it.
func (p *plugin) complete(ctx context.Context, r *admission.Request) error {
	pod, ok := r.Object.(*corev1.Pod)
	if !ok || r.Operation != admission.Create || mirrored(pod) {
		return nil
	}
	if pod.Spec.ServiceAccountName == "" {
		pod.Spec.ServiceAccountName = pod.Spec.DeprecatedServiceAccount
	}
	if pod.Spec.ServiceAccountName == "" {
		pod.Spec.ServiceAccountName = defaultAccount
	}
	pod.Spec.DeprecatedServiceAccount = pod.Spec.ServiceAccountName

	account, err := p.account(ctx, r, pod.Spec.ServiceAccountName)
	if err != nil {
		return err
	}
	if automounted(pod, account) {
		mountToken(&pod.Spec)
	}
	if len(pod.Spec.ImagePullSecrets) == 0 {
		pod.Spec.ImagePullSecrets = slices.Clone(account.ImagePullSecrets)
	}
	return nil
}

// automounted says whether a pod gets a token. What the pod says counts more than what the account
// says.
func automounted(pod *corev1.Pod, account *corev1.ServiceAccount) bool {
	for _, said := range []*bool{pod.Spec.AutomountServiceAccountToken, account.AutomountServiceAccountToken} {
		if said != nil {
			return *said
		}
	}
	return true
}

// judge refuses a pod without an account, also one that another plug-in has changed.
func (p *plugin) judge(ctx context.Context, r *admission.Request) error {
	pod, ok := r.Object.(*corev1.Pod)
	switch {
	case !ok:
		return nil
	case r.Operation == admission.Create && mirrored(pod):
		return judgeMirror(pod)
	case pod.Spec.ServiceAccountName == "":
		return fmt.Errorf("no service account specified for pod %s/%s", r.Namespace, pod.Name)
	}
	account, err := p.account(ctx, r, pod.Spec.ServiceAccountName)
	if err != nil {
		return err
	}
	return judgeSecrets(account, &pod.Spec, r.Subresource)
}

func mirrored(pod *corev1.Pod) bool {
	_, ok := pod.Annotations[mirrorAnnotation]
	return ok
}

// account finds an account for a pod.
func (p *plugin) account(ctx context.Context, r *admission.Request, name string) (*corev1.ServiceAccount, error) {
	account, err := p.Account(ctx, r.Namespace, name, false)
	for n := 0; apierrors.IsNotFound(err) && ctx.Err() == nil; n++ {
		if n > 0 {
			p.Wait(ctx, pause)
		}
		account, err = p.Account(ctx, r.Namespace, name, true)
		if name != defaultAccount || n+1 == attempts {
			break
		}
	}
	switch {
	case err == nil:
		return account, nil
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return nil, err
	case apierrors.IsNotFound(err):
		err = apierrors.NewNotFound(schema.GroupResource{Resource: "serviceaccount"}, name) // as Kubernetes says it here
	}
	return nil, admission.Forbidden(r, fmt.Errorf("error looking up service account %s/%s: %w", r.Namespace, name, err))
}
