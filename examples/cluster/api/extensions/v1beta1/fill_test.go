package v1beta1

import "sigs.k8s.io/randfill"

// fillers make objects as clients may send them.
var fillers = []any{
	// There is only one thing that can be meant, and other versions do not say it.
	func(ref *SubresourceReference, c randfill.Continue) {
		c.FillNoCustom(ref)
		ref.Subresource = "scale"
	},
}
