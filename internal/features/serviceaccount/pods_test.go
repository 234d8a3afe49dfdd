package serviceaccount_test

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/internal/features/serviceaccount"
)

const tokenPath = "/var/run/secrets/kubernetes.io/serviceaccount"

// accounts are those of the namespace ns. A cache sees the old ones only, and the default one comes
// after some reads of the store.
type accounts struct {
	old, all map[string]*corev1.ServiceAccount
	late     int // reads of the store before there is a default account; 0: there is none unless in all
	waits    int
	err      error
}

func (a *accounts) get(_ context.Context, namespace, name string, live bool) (*corev1.ServiceAccount, error) {
	from := a.old
	if live {
		from = a.all
		if a.late > 0 {
			if a.late--; a.late == 0 {
				a.all["default"] = account("default")
			}
		}
	}
	if found := from[name]; a.err == nil && namespace == "ns" && found != nil {
		return found, nil
	}
	if a.err != nil {
		return nil, a.err
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "serviceaccounts"}, name)
}

func (a *accounts) chain() *admission.Chain {
	c := new(admission.Chain)
	c.Set([]admission.Plugin{serviceaccount.New(serviceaccount.Config{
		Account: a.get,
		Wait:    func(context.Context, time.Duration) { a.waits++ },
	})})
	return c
}

func account(name string) *corev1.ServiceAccount {
	return &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ns"}}
}

func withDefault(change func(*corev1.ServiceAccount)) *accounts {
	a := account("default")
	if change != nil {
		change(a)
	}
	return &accounts{old: map[string]*corev1.ServiceAccount{"default": a}}
}

func pod(spec corev1.PodSpec) *corev1.Pod {
	if spec.Containers == nil {
		spec.Containers = []corev1.Container{{Name: "c"}}
	}
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "ns"}, Spec: spec}
}

// admit lets a pod through the plug-in, as a new one.
func (a *accounts) admit(p *corev1.Pod) error { return a.ask(admission.Create, "", p) }

func (a *accounts) ask(op admission.Operation, subresource string, p *corev1.Pod) error {
	r := &admission.Request{Operation: op, Resource: schema.GroupVersionResource{Version: "v1", Resource: "pods"}, Subresource: subresource, Namespace: "ns", Name: "p", Object: p}
	c := a.chain()
	if err := c.Mutate(context.Background(), r); err != nil {
		return err
	}
	return c.Validate(context.Background(), r)
}

func wantRefusal(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Error(err)
	case want != "" && (err == nil || err.Error() != `pods "p" is forbidden: `+want || !apierrors.IsForbidden(err)):
		t.Errorf("%v\nwant %s", err, want)
	}
}

func TestAccountOfAPod(t *testing.T) {
	for name, tc := range map[string]struct {
		accounts accounts
		spec     corev1.PodSpec
		want     string // the account
		waits    int
		refused  string
	}{
		"the default one":            {accounts: *withDefault(nil), want: "default"},
		"one that is named":          {accounts: accounts{old: map[string]*corev1.ServiceAccount{"robot": account("robot")}}, spec: corev1.PodSpec{ServiceAccountName: "robot"}, want: "robot"},
		"one by its older name":      {accounts: accounts{old: map[string]*corev1.ServiceAccount{"robot": account("robot")}}, spec: corev1.PodSpec{DeprecatedServiceAccount: "robot"}, want: "robot"},
		"the newer name counts":      {accounts: accounts{old: map[string]*corev1.ServiceAccount{"robot": account("robot")}}, spec: corev1.PodSpec{ServiceAccountName: "robot", DeprecatedServiceAccount: "other"}, want: "robot"},
		"one that was just made":     {accounts: accounts{all: map[string]*corev1.ServiceAccount{"robot": account("robot")}}, spec: corev1.PodSpec{ServiceAccountName: "robot"}, want: "robot"},
		"one that is missing":        {spec: corev1.PodSpec{ServiceAccountName: "robot"}, refused: `error looking up service account ns/robot: serviceaccount "robot" not found`},
		"a default one soon":         {accounts: accounts{all: map[string]*corev1.ServiceAccount{}, late: 3}, want: "default", waits: 2},
		"a default one that is late": {waits: 99, refused: `error looking up service account ns/default: serviceaccount "default" not found`},
		"accounts that nobody knows": {accounts: accounts{err: errors.New("no answer")}, refused: "error looking up service account ns/default: no answer"},
	} {
		t.Run(name, func(t *testing.T) {
			p := pod(tc.spec)
			wantRefusal(t, tc.accounts.admit(p), tc.refused)
			if tc.refused == "" && (p.Spec.ServiceAccountName != tc.want || p.Spec.DeprecatedServiceAccount != tc.want) {
				t.Errorf("account %q, %q, want %q", p.Spec.ServiceAccountName, p.Spec.DeprecatedServiceAccount, tc.want)
			}
			// What is judged after it was found in the store may be asked about once more.
			if tc.accounts.waits < tc.waits || tc.refused != "" && tc.accounts.waits != tc.waits {
				t.Errorf("%d waits, want %d", tc.accounts.waits, tc.waits)
			}
		})
	}
	gone := accounts{err: context.Canceled}
	if err := gone.admit(pod(corev1.PodSpec{})); !errors.Is(err, context.Canceled) {
		t.Errorf("a client that went away: %v", err)
	}
}

// TestToken: containers see a token, if nobody says otherwise and nothing is in its place.
func TestToken(t *testing.T) {
	yes, no := true, false
	for name, tc := range map[string]struct {
		account, pod *bool
		want         bool
	}{
		"nobody says":           {nil, nil, true},
		"the account says no":   {&no, nil, false},
		"the pod says no":       {nil, &no, false},
		"the pod counts":        {&no, &yes, true},
		"the pod counts for no": {&yes, &no, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := pod(corev1.PodSpec{AutomountServiceAccountToken: tc.pod})
			a := withDefault(func(account *corev1.ServiceAccount) { account.AutomountServiceAccountToken = tc.account })
			if err := a.admit(p); err != nil {
				t.Fatal(err)
			}
			if got := len(p.Spec.Volumes) == 1 && len(p.Spec.Containers[0].VolumeMounts) == 1; got != tc.want || !got && len(p.Spec.Volumes) > 0 {
				t.Errorf("token %t, want %t: %+v", got, tc.want, p.Spec)
			}
		})
	}

	other := []corev1.VolumeMount{{Name: "mine", MountPath: tokenPath}}
	p := pod(corev1.PodSpec{
		InitContainers: []corev1.Container{{Name: "i"}},
		Containers:     []corev1.Container{{Name: "c"}, {Name: "own", VolumeMounts: slices.Clone(other)}},
	})
	if err := withDefault(nil).admit(p); err != nil {
		t.Fatal(err)
	}
	if len(p.Spec.Volumes) != 1 || !regexp.MustCompile(`^kube-api-access-[a-z0-9]{5}$`).MatchString(p.Spec.Volumes[0].Name) {
		t.Fatalf("volumes %+v", p.Spec.Volumes)
	}
	volume := p.Spec.Volumes[0].Name
	mode, seconds := int32(0o644), int64(3607)
	want := &corev1.ProjectedVolumeSource{DefaultMode: &mode, Sources: []corev1.VolumeProjection{
		{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token", ExpirationSeconds: &seconds}},
		{ConfigMap: &corev1.ConfigMapProjection{LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"}, Items: []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}}}},
		{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{{Path: "namespace", FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.namespace"}}}}},
	}}
	if diff := cmp.Diff(want, p.Spec.Volumes[0].Projected); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	mount := []corev1.VolumeMount{{Name: volume, ReadOnly: true, MountPath: tokenPath}}
	for i, want := range [][]corev1.VolumeMount{mount, mount, other} {
		if diff := cmp.Diff(want, slices.Concat(p.Spec.InitContainers, p.Spec.Containers)[i].VolumeMounts); diff != "" {
			t.Errorf("mounts of container %d (-want +got)\n%s", i, diff)
		}
	}

	// What was made of such a pod is left as it is: a copy has the volume already.
	copied := p.DeepCopy()
	if err := withDefault(nil).admit(copied); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p.Spec, copied.Spec); diff != "" {
		t.Errorf("a copy (-first +copy)\n%s", diff)
	}
	// No volume where nobody mounts it.
	p = pod(corev1.PodSpec{Containers: []corev1.Container{{Name: "own", VolumeMounts: other}}})
	if err := withDefault(nil).admit(p); err != nil || len(p.Spec.Volumes) != 0 {
		t.Errorf("%v, volumes %+v", err, p.Spec.Volumes)
	}
}

func TestPullSecrets(t *testing.T) {
	refs := func(names ...string) (out []corev1.LocalObjectReference) {
		for _, name := range names {
			out = append(out, corev1.LocalObjectReference{Name: name})
		}
		return out
	}
	a := withDefault(func(account *corev1.ServiceAccount) { account.ImagePullSecrets = refs("one", "two") })
	p := pod(corev1.PodSpec{})
	if err := a.admit(p); err != nil || !slices.Equal(p.Spec.ImagePullSecrets, refs("one", "two")) {
		t.Errorf("%v %+v", err, p.Spec.ImagePullSecrets)
	}
	p.Spec.ImagePullSecrets[0].Name = "changed"
	if a.old["default"].ImagePullSecrets[0].Name != "one" {
		t.Error("the pod shares memory with the account")
	}
	p = pod(corev1.PodSpec{ImagePullSecrets: refs("mine")})
	if err := a.admit(p); err != nil || !slices.Equal(p.Spec.ImagePullSecrets, refs("mine")) {
		t.Errorf("a pod that names its own: %v %+v", err, p.Spec.ImagePullSecrets)
	}
}

func secretEnv(name string) []corev1.EnvVar {
	return []corev1.EnvVar{{Name: "V", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: name}}}}}
}

func secretEnvFrom(name string) []corev1.EnvFromSource {
	return []corev1.EnvFromSource{{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: name}}}}
}

func volume(source corev1.VolumeSource) []corev1.Volume {
	return []corev1.Volume{{Name: "v", VolumeSource: source}}
}

// TestMirrorPods are not changed, and refer to nothing of the server's.
func TestMirrorPods(t *testing.T) {
	token := corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{Sources: []corev1.VolumeProjection{{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token"}}}}}
	const secrets = "a mirror pod may not reference secrets"
	for name, tc := range map[string]struct {
		spec    corev1.PodSpec
		refused string
	}{
		"plain":              {},
		"an account":         {corev1.PodSpec{ServiceAccountName: "default"}, "a mirror pod may not reference service accounts"},
		"a secret volume":    {corev1.PodSpec{Volumes: volume(corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "s"}})}, secrets},
		"a projected secret": {corev1.PodSpec{Volumes: volume(corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{Sources: []corev1.VolumeProjection{{Secret: &corev1.SecretProjection{}}}}})}, secrets},
		"a volume's driver":  {corev1.PodSpec{Volumes: volume(corev1.VolumeSource{CSI: &corev1.CSIVolumeSource{NodePublishSecretRef: &corev1.LocalObjectReference{Name: "s"}}})}, secrets},
		"azure":              {corev1.PodSpec{Volumes: volume(corev1.VolumeSource{AzureFile: &corev1.AzureFileVolumeSource{SecretName: "s"}})}, secrets},
		"rbd":                {corev1.PodSpec{Volumes: volume(corev1.VolumeSource{RBD: &corev1.RBDVolumeSource{SecretRef: &corev1.LocalObjectReference{Name: "s"}}})}, secrets},
		"the environment":    {corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Env: secretEnv("s")}}}, secrets},
		"all of a secret":    {corev1.PodSpec{InitContainers: []corev1.Container{{Name: "c", EnvFrom: secretEnvFrom("s")}}}, secrets},
		"a pull secret":      {corev1.PodSpec{ImagePullSecrets: []corev1.LocalObjectReference{{Name: "s"}}}, secrets},
		"a token":            {corev1.PodSpec{Volumes: volume(token)}, "a mirror pod may not use ServiceAccountToken volume projections"},
		"a ConfigMap":        {corev1.PodSpec{Volumes: volume(corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{}})}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := pod(tc.spec)
			p.Annotations = map[string]string{"kubernetes.io/config.mirror": ""}
			before := p.DeepCopy()
			wantRefusal(t, new(accounts).admit(p), tc.refused)
			if diff := cmp.Diff(before, p); diff != "" {
				t.Errorf("it was changed\n%s", diff)
			}
		})
	}
}

// TestMountableSecrets: an account can keep its pods to its own secrets, wherever they name them.
func TestMountableSecrets(t *testing.T) {
	why := func(place string) string {
		return place + ` referencing secret.secretName="other" is not allowed because service account default does not reference that secret`
	}
	inVolume := `volume with secret.secretName="other" is not allowed because service account default does not reference that secret`
	for name, tc := range map[string]struct {
		spec func(secret string) corev1.PodSpec
		want string
	}{
		"a volume": {func(s string) corev1.PodSpec {
			return corev1.PodSpec{Volumes: volume(corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: s}})}
		}, inVolume},
		"a part of a volume": {func(s string) corev1.PodSpec {
			return corev1.PodSpec{Volumes: volume(corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{Sources: []corev1.VolumeProjection{{Secret: &corev1.SecretProjection{LocalObjectReference: corev1.LocalObjectReference{Name: s}}}}}})}
		}, inVolume},
		"the environment": {func(s string) corev1.PodSpec {
			return corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Env: secretEnv(s)}}}
		}, why("container c with envVar V")},
		"all of a secret": {func(s string) corev1.PodSpec {
			return corev1.PodSpec{Containers: []corev1.Container{{Name: "c", EnvFrom: secretEnvFrom(s)}}}
		}, why("container c with envFrom")},
		"of an init container": {func(s string) corev1.PodSpec {
			return corev1.PodSpec{InitContainers: []corev1.Container{{Name: "i", Env: secretEnv(s)}}}
		}, why("init container i with envVar V")},
		"all of one there": {func(s string) corev1.PodSpec {
			return corev1.PodSpec{InitContainers: []corev1.Container{{Name: "i", EnvFrom: secretEnvFrom(s)}}}
		}, why("init container i with envFrom")},
		"a pull secret": {func(s string) corev1.PodSpec {
			return corev1.PodSpec{ImagePullSecrets: []corev1.LocalObjectReference{{Name: s}}}
		}, `imagePullSecrets[0].name="other" is not allowed because service account default does not reference that imagePullSecret`},
	} {
		t.Run(name, func(t *testing.T) {
			enforcing := func(value string) *accounts {
				return withDefault(func(a *corev1.ServiceAccount) {
					a.Annotations = map[string]string{"kubernetes.io/enforce-mountable-secrets": value}
					a.Secrets = []corev1.ObjectReference{{Name: "own"}}
					a.ImagePullSecrets = []corev1.LocalObjectReference{{Name: "own"}}
				})
			}
			wantRefusal(t, enforcing("true").admit(pod(tc.spec("own"))), "")
			wantRefusal(t, enforcing("true").admit(pod(tc.spec("other"))), tc.want)
			wantRefusal(t, enforcing("false").admit(pod(tc.spec("other"))), "")
			wantRefusal(t, withDefault(nil).admit(pod(tc.spec("other"))), "")
		})
	}

	// Who looks into a running pod is kept to them, too; what the pod has already is not judged
	// again.
	a := withDefault(func(a *corev1.ServiceAccount) {
		a.Annotations = map[string]string{"kubernetes.io/enforce-mountable-secrets": "true"}
	})
	p := pod(corev1.PodSpec{ServiceAccountName: "default", Containers: []corev1.Container{{Name: "c", Env: secretEnv("other")}}})
	wantRefusal(t, a.ask(admission.Update, "ephemeralcontainers", p), "")
	p.Spec.EphemeralContainers = []corev1.EphemeralContainer{{EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: "e", EnvFrom: secretEnvFrom("other")}}}
	wantRefusal(t, a.ask(admission.Update, "ephemeralcontainers", p), why("ephemeral container e with envFrom"))
	wantRefusal(t, a.ask(admission.Update, "", p), "")
	wantRefusal(t, a.ask(admission.Update, "status", p), "")
}
