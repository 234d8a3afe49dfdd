package kubernetes

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/semantic"
	"github.com/typeplane/typeplane/storage"
)

// What services get: addresses of a range, of which the first is the API server's, and ports of
// nodes.
var (
	serviceRange = netip.MustParsePrefix("10.96.0.0/16")
	firstPort    = int32(30000)
	lastPort     = int32(32767)
)

// apiAddress is the first of the range. It is the API server's, whether its service is there or
// not.
func apiAddress() string { return serviceRange.Addr().Next().String() }

// addressPrefix is where the addresses and ports lie that services have, each under a key of its
// own. The key is written in the transaction of the service. So none is given twice, and none stays
// behind, whichever server dies.
const addressPrefix = "/.service-addresses/"

// Each address and port is a key in the transaction of its service, of which etcd takes 128. A
// service may have so many ports of nodes, and a write may give and take so many keys; others of
// the transaction are of other plug-ins.
const (
	maxNodePorts = 100
	maxKeys      = 110
)

// addressAttempts is how many free ones are looked for before there seem to be none.
const addressAttempts = 1000

type addresses struct{ kept storage.Interface }

func newAddresses(_ context.Context, h *typeplane.Host, _ []byte) (admission.Plugin, error) {
	a := addresses{h.Store(addressPrefix)}
	return admission.Plugin{
		Wants: func(r *admission.Request) bool {
			return r.Subresource == "" && r.Resource.Group == "" && r.Resource.Resource == "services"
		},
		Mutate:   keep,
		Transact: a.transact,
	}, nil
}

// keep has an update that leaves out what the server gave a service not take it away.
func keep(_ context.Context, r *admission.Request) error {
	service, ok := r.Object.(*corev1.Service)
	old, was := r.Old.(*corev1.Service)
	if !ok {
		return nil
	}
	if was && hasAddress(&old.Spec) && hasAddress(&service.Spec) {
		if service.Spec.ClusterIP == "" && len(service.Spec.ClusterIPs) == 0 {
			service.Spec.ClusterIP, service.Spec.ClusterIPs = old.Spec.ClusterIP, old.Spec.ClusterIPs
		}
		if service.Spec.HealthCheckNodePort == 0 && wantsHealthPort(&service.Spec) {
			service.Spec.HealthCheckNodePort = old.Spec.HealthCheckNodePort
		}
	}
	if was && hasPorts(&service.Spec) {
		keepPorts(service.Spec.Ports, old.Spec.Ports)
	}
	settle(&service.Spec, specOf(old))
	return nil
}

// keepPorts gives ports that have none of the nodes' the one that they had. There may be many.
func keepPorts(ports, old []corev1.ServicePort) {
	type port struct {
		number   int32
		protocol corev1.Protocol
	}
	used, had := map[int32]bool{}, map[port]int32{}
	for _, p := range ports {
		used[p.NodePort] = true
	}
	for _, p := range slices.Backward(old) { // the first of several counts
		had[port{p.Port, p.Protocol}] = p.NodePort
	}
	for i := range ports {
		p := &ports[i]
		if before := had[port{p.Port, p.Protocol}]; p.NodePort == 0 && !used[before] {
			p.NodePort = before
		}
	}
}

// settle has the fields say the same that are about one thing. One that has become a name loses
// what it had as an address, where the client has sent that as it was.
func settle(spec, was *corev1.ServiceSpec) {
	if !hasAddress(spec) {
		if hasAddress(was) && spec.ClusterIP == was.ClusterIP && slices.Equal(spec.ClusterIPs, was.ClusterIPs) {
			spec.ClusterIP, spec.ClusterIPs = "", nil
		}
		if hasAddress(was) && slices.Equal(spec.IPFamilies, was.IPFamilies) {
			spec.IPFamilies = nil
		}
		if hasAddress(was) && semantic.Equal(spec.IPFamilyPolicy, was.IPFamilyPolicy) {
			spec.IPFamilyPolicy = nil
		}
		return
	}
	if spec.ClusterIP == "" && len(spec.ClusterIPs) > 0 {
		spec.ClusterIP = spec.ClusterIPs[0]
	}
	if spec.ClusterIP != "" && len(spec.ClusterIPs) == 0 {
		spec.ClusterIPs = []string{spec.ClusterIP}
	}
	policy, families := corev1.IPFamilyPolicySingleStack, []corev1.IPFamily{corev1.IPv4Protocol}
	if spec.ClusterIP == corev1.ClusterIPNone && len(spec.Selector) == 0 {
		policy, families = corev1.IPFamilyPolicyRequireDualStack, append(families, corev1.IPv6Protocol)
	}
	if spec.IPFamilyPolicy == nil {
		spec.IPFamilyPolicy = &policy
	}
	if len(spec.IPFamilies) == 0 {
		spec.IPFamilies = families
	}
}

func hasAddress(spec *corev1.ServiceSpec) bool { return spec.Type != corev1.ServiceTypeExternalName }

func hasPorts(spec *corev1.ServiceSpec) bool {
	return spec.Type == corev1.ServiceTypeNodePort || spec.Type == corev1.ServiceTypeLoadBalancer && (spec.AllocateLoadBalancerNodePorts == nil || *spec.AllocateLoadBalancerNodePorts)
}

func wantsHealthPort(spec *corev1.ServiceSpec) bool {
	return spec.Type == corev1.ServiceTypeLoadBalancer && spec.ExternalTrafficPolicy == corev1.ServiceExternalTrafficPolicyLocal
}

// transact gives a service what it does not have yet, and says which keys come and go with that.
func (a addresses) transact(ctx context.Context, r *admission.Request) ([]storage.Op, error) {
	service, _ := r.Object.(*corev1.Service)
	old, _ := r.Old.(*corev1.Service)
	had, has := keysOf(old), map[string]*field.Path{}
	if service != nil {
		if err := outside(&service.Spec, specOf(old)); err != nil {
			return nil, refused(service, err)
		}
		before := service.Spec.DeepCopy()
		r.Attempt.Then(func(written bool) {
			if !written {
				service.Spec = *before // the next attempt chooses again
			}
		})
		if err := a.choose(ctx, &service.Spec, had); err != nil {
			return nil, err
		}
		has = keysOf(service)
	}
	var ops []storage.Op
	for key, path := range has {
		if _, kept := had[key]; kept {
			continue
		}
		own := service.Namespace == metav1.NamespaceDefault && service.Name == apiService
		if taken, err := a.taken(ctx, key, true); err != nil {
			return nil, err
		} else if taken.Revision > 0 || key == addressPrefix+apiAddress() && !own {
			return nil, refused(service, field.Invalid(path, key[len(addressPrefix):], "provided one is already allocated"))
		}
		ops = append(ops, storage.Op{Key: key, Value: []byte(service.Namespace + "/" + service.Name)})
	}
	for key := range had {
		if _, kept := has[key]; kept {
			continue
		}
		taken, err := a.taken(ctx, key, true)
		if err != nil {
			return nil, err
		}
		if taken.Revision > 0 {
			ops = append(ops, storage.Op{Key: key, Expected: taken.Revision, Act: storage.Remove})
		}
	}
	if len(ops) > maxKeys {
		detail := fmt.Sprintf("a write may give and take %d addresses and ports of nodes at most, not %d: change them in several", maxKeys, len(ops))
		return nil, refused(service, field.Forbidden(specPath.Child("ports"), detail))
	}
	if r.DryRun {
		return nil, nil
	}
	return ops, nil
}

// choose fills in the address and the ports that a service has to have.
func (a addresses) choose(ctx context.Context, spec *corev1.ServiceSpec, had map[string]*field.Path) error {
	if hasAddress(spec) && spec.ClusterIP == "" {
		ip, err := a.free(ctx, had, randomAddress)
		if err != nil {
			return err
		}
		spec.ClusterIP, spec.ClusterIPs = ip, []string{ip}
	}
	ports := []*int32{}
	if hasPorts(spec) {
		for i := range spec.Ports {
			ports = append(ports, &spec.Ports[i].NodePort)
		}
	}
	if wantsHealthPort(spec) {
		ports = append(ports, &spec.HealthCheckNodePort)
	}
	mine := map[string]*field.Path{}
	for _, port := range ports {
		if *port != 0 {
			continue
		}
		name, err := a.free(ctx, mine, randomPort)
		if err != nil {
			return err
		}
		mine[addressPrefix+name] = nil
		n, _ := strconv.ParseInt(name, 10, 32)
		*port = int32(n)
	}
	return nil
}

// free is one that nobody has.
func (a addresses) free(ctx context.Context, mine map[string]*field.Path, random func() string) (string, error) {
	for range addressAttempts {
		name := random()
		if _, is := mine[addressPrefix+name]; is {
			continue
		}
		taken, err := a.taken(ctx, addressPrefix+name, false)
		if err != nil || taken.Revision == 0 {
			return name, err
		}
	}
	return "", fmt.Errorf("range is full: %d were tried, and none is free", addressAttempts)
}

// taken is what lies under a key; without a revision there is nothing.
func (a addresses) taken(ctx context.Context, key string, sure bool) (storage.Entry, error) {
	entry, err := a.kept.Get(ctx, key, storage.GetOptions{Any: !sure})
	if storage.CodeOf(err) == storage.CodeNotFound {
		return storage.Entry{}, nil
	}
	return entry, err
}

// keysOf are those of what a service has, each with the field that says so.
func keysOf(service *corev1.Service) map[string]*field.Path {
	keys := map[string]*field.Path{}
	if service == nil {
		return keys
	}
	if ip := service.Spec.ClusterIP; ip != "" && ip != corev1.ClusterIPNone {
		keys[addressPrefix+ip] = specPath.Child("clusterIP")
	}
	for i, port := range service.Spec.Ports {
		if port.NodePort != 0 {
			keys[addressPrefix+strconv.Itoa(int(port.NodePort))] = specPath.Child("ports").Index(i).Child("nodePort")
		}
	}
	if port := service.Spec.HealthCheckNodePort; port != 0 {
		keys[addressPrefix+strconv.Itoa(int(port))] = specPath.Child("healthCheckNodePort")
	}
	return keys
}

func refused(service *corev1.Service, err *field.Error) error {
	return rest.Invalid(corev1.SchemeGroupVersion.WithKind("Service").GroupKind(), service.Name, field.ErrorList{err})
}

func specOf(service *corev1.Service) *corev1.ServiceSpec {
	if service == nil {
		return new(corev1.ServiceSpec)
	}
	return &service.Spec
}

// outside says what a service asks for that nobody can have, beside what it had before.
func outside(is, was *corev1.ServiceSpec) *field.Error {
	if err := addressOfName(is); err != nil {
		return err
	}
	if hasPorts(is) && len(is.Ports) > maxNodePorts {
		return field.TooMany(specPath.Child("ports"), len(is.Ports), maxNodePorts)
	}
	if all := is.ClusterIPs; !slices.Equal(all, was.ClusterIPs) && !slices.Equal(all, []string{is.ClusterIP}) && len(all) > 0 {
		return field.Invalid(specPath.Child("clusterIPs"), all, "the first value must match `clusterIP`, and there is no other: addresses are of one family here")
	}
	if is.ClusterIP != was.ClusterIP {
		if err := validateAddress(is.ClusterIP); err != nil {
			return err
		}
	}
	had := map[int32]bool{0: true, was.HealthCheckNodePort: true}
	for _, p := range was.Ports {
		had[p.NodePort] = true
	}
	for i, p := range is.Ports {
		if !had[p.NodePort] && (p.NodePort < firstPort || p.NodePort > lastPort) {
			return portOutside(specPath.Child("ports").Index(i).Child("nodePort"), p.NodePort)
		}
	}
	if port := is.HealthCheckNodePort; !had[port] && (port < firstPort || port > lastPort) {
		return portOutside(specPath.Child("healthCheckNodePort"), port)
	}
	return nil
}

// addressOfName refuses what a service that is a name can't have. The words are those of a
// kube-apiserver.
func addressOfName(spec *corev1.ServiceSpec) *field.Error {
	const detail = "may not be set for ExternalName services"
	switch {
	case hasAddress(spec):
	case spec.ClusterIP != "" || len(spec.ClusterIPs) > 0:
		return field.Forbidden(specPath.Child("clusterIPs"), detail)
	case len(spec.IPFamilies) > 0:
		return field.Forbidden(specPath.Child("ipFamilies"), detail)
	case spec.IPFamilyPolicy != nil:
		return field.Forbidden(specPath.Child("ipFamilyPolicy"), detail)
	}
	return nil
}

func portOutside(at *field.Path, port int32) *field.Error {
	return field.Invalid(at, port, fmt.Sprintf("provided port is not in the valid range. The range of valid ports is %d-%d", firstPort, lastPort))
}

// validateAddress judges an address that a client asks for. A key that is none could be that of a
// port.
func validateAddress(name string) *field.Error {
	if name == "" || name == corev1.ClusterIPNone {
		return nil
	}
	at := specPath.Child("clusterIPs").Index(0)
	ip, err := netip.ParseAddr(name)
	switch {
	case err != nil || ip.String() != name:
		return field.Invalid(at, name, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")
	case !serviceRange.Contains(ip):
		return field.Invalid(at, name, fmt.Sprintf("failed to allocate IP %s: the provided IP (%s) is not in the valid range. The range of valid IPs is %s", ip, ip, serviceRange))
	}
	return nil
}

// randomAddress leaves out the first addresses of the range, which can be asked for, and the last.
func randomAddress() string {
	bits := 32 - serviceRange.Bits()
	n := 256 + rand.N(uint32(1)<<bits-257)
	b := serviceRange.Addr().As4()
	base := uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
	at := base + n
	return netip.AddrFrom4([4]byte{byte(at >> 24), byte(at >> 16), byte(at >> 8), byte(at)}).String()
}

func randomPort() string { return strconv.Itoa(int(firstPort + rand.N(lastPort-firstPort+1))) }
