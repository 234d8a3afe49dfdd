package kubernetes

import (
	"context"
	"net/netip"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/features/strategy"
)

// IPAddressStrategy holds the rules of addresses: each is called as what it is, and says whose.
type IPAddressStrategy struct{ strategy.Uncounted }

// ValidateName: an address of either family, written the usual way. None is generated.
func (IPAddressStrategy) ValidateName(name string, _ bool) (problems []string) {
	for _, err := range validation.IsValidIP(nil, name) {
		problems = append(problems, err.Detail)
	}
	return problems
}

// Validate says what is wrong with a new address.
func (IPAddressStrategy) Validate(_ context.Context, address *networkingv1.IPAddress) field.ErrorList {
	parent, path := address.Spec.ParentRef, specPath.Child("parentRef")
	if parent == nil {
		return field.ErrorList{field.Required(path, "")}
	}
	var errs field.ErrorList
	if parent.Group != "" {
		for _, problem := range validation.IsDNS1123Subdomain(parent.Group) {
			errs = append(errs, field.Invalid(path.Child("group"), parent.Group, problem))
		}
	}
	for _, part := range []struct{ name, value string }{{"resource", parent.Resource}, {"name", parent.Name}, {"namespace", parent.Namespace}} {
		if part.value == "" {
			if part.name != "namespace" {
				errs = append(errs, field.Required(path.Child(part.name), ""))
			}
			continue
		}
		for _, problem := range content.IsPathSegmentName(part.value) {
			errs = append(errs, field.Invalid(path.Child(part.name), part.value, problem))
		}
	}
	return errs
}

// ValidateUpdate says what is wrong with a changed address: it stays whose it is.
func (IPAddressStrategy) ValidateUpdate(_ context.Context, address, old *networkingv1.IPAddress) field.ErrorList {
	return fixed(specPath.Child("parentRef"), address.Spec.ParentRef, old.Spec.ParentRef)
}

// WarningsOnCreate: what services have is kept elsewhere.
func (IPAddressStrategy) WarningsOnCreate(_ context.Context, address *networkingv1.IPAddress) []string {
	if at, err := netip.ParseAddr(address.Name); err == nil && serviceRange.Contains(at) {
		return []string{"metadata.name: the address is not kept from services, which may get it"}
	}
	return nil
}

// ServiceCIDRStrategy holds the rules of ranges of addresses: one of each family at most.
type ServiceCIDRStrategy struct{ strategy.Uncounted }

// Validate says what is wrong with a new range.
func (ServiceCIDRStrategy) Validate(_ context.Context, r *networkingv1.ServiceCIDR) field.ErrorList {
	path, cidrs := specPath.Child("cidrs"), r.Spec.CIDRs
	switch {
	case len(cidrs) == 0:
		return field.ErrorList{field.Required(path, "at least one CIDR required")}
	case len(cidrs) > 2:
		return field.ErrorList{field.Invalid(path, cidrs, "may only hold up to 2 values")}
	}
	var errs field.ErrorList
	for i, cidr := range cidrs {
		errs = append(errs, validation.IsValidCIDR(path.Index(i), cidr)...)
	}
	if len(cidrs) == 2 && len(errs) == 0 && isIPv4(cidrs[0]) == isIPv4(cidrs[1]) {
		errs = append(errs, field.Invalid(path, cidrs, "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"))
	}
	return errs
}

// ValidateUpdate says what is wrong with a changed range: it may get another family, and nothing
// else.
func (s ServiceCIDRStrategy) ValidateUpdate(ctx context.Context, r, old *networkingv1.ServiceCIDR) field.ErrorList {
	is, was := r.Spec.CIDRs, old.Spec.CIDRs
	if len(is) == 2 && len(was) == 1 && is[0] == was[0] {
		return s.Validate(ctx, r)
	}
	return fixed(specPath.Child("cidrs"), is, was)
}

// WarningsOnCreate: services get addresses of this server's own range only.
func (ServiceCIDRStrategy) WarningsOnCreate(_ context.Context, r *networkingv1.ServiceCIDR) []string {
	if len(r.Spec.CIDRs) == 1 && r.Spec.CIDRs[0] == serviceRange.String() {
		return nil
	}
	return []string{"spec.cidrs: services get addresses of " + serviceRange.String() + " only, and none of another range"}
}

// WarningsOnUpdate are the same.
func (s ServiceCIDRStrategy) WarningsOnUpdate(ctx context.Context, r, _ *networkingv1.ServiceCIDR) []string {
	return s.WarningsOnCreate(ctx, r)
}

func isIPv4(cidr string) bool {
	prefix, err := netip.ParsePrefix(cidr)
	return err == nil && prefix.Addr().Is4()
}
