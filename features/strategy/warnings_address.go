package strategy

import (
	"fmt"
	"net/netip"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Address looks at an address: there are forms that programs read differently, and several of one
// address of IPv6. What is no address at all is for rules to say.
func (w *Warnings) Address(text, place string, args ...any) {
	w.address(text, func() string { return fmt.Sprintf(place, args...) })
}

func (w *Warnings) address(text string, place func() string) {
	if text == "" || w.full() {
		return
	}
	if addr, err := netip.ParseAddr(text); err == nil && !addr.Is4In6() && isUsual(addr, text) {
		return
	}
	if len(validation.IsValidIPForLegacyField(nil, text, false, nil)) > 0 {
		return
	}
	for _, warning := range validation.GetWarningsForIP(field.NewPath(place()), text) {
		w.Add("%s", warning)
	}
}

// isUsual says whether an address is written as everybody would.
func isUsual(addr netip.Addr, text string) bool {
	if addr.Is4() {
		return true
	}
	var usual [64]byte
	return string(addr.AppendTo(usual[:0])) == text
}

// CIDR looks at a range of addresses in the same way.
func (w *Warnings) CIDR(text, place string, args ...any) {
	if w.full() {
		return
	}
	if r, err := netip.ParsePrefix(text); err == nil && r.Addr().Is4() && r == r.Masked() {
		return
	}
	if len(validation.IsValidCIDRForLegacyField(nil, text, false, nil)) > 0 {
		return
	}
	for _, warning := range validation.GetWarningsForCIDR(field.NewPath(fmt.Sprintf(place, args...)), text) {
		w.Add("%s", warning)
	}
}
