// Package register is the plug-in for the registration of a group version in apimachinery's Scheme,
// which controller-runtime and client-go users need: zz_generated.register.go.
//
// It prints GroupName, GroupVersion, SchemeGroupVersion, Resource, SchemeBuilder,
// localSchemeBuilder, AddToScheme, Install and the list of kinds, as register-gen does. It does so
// for packages of versioned types that say +groupName or +k8s:register-gen. Hubs, whose types carry
// no json tags, and packages that do it by hand get nothing. The package's defaults are registered
// along with it; conversions register themselves (see package conversion).
//
// Registration in the Scheme of this repository is the apiserver plug-in's (+typeplane:apiserver),
// and the two don't need each other: +k8s:register-gen=false leaves this one out, --generators=
// chooses for a run.
//
// Start reading at Plugin; plan.go decides, emit.go prints.
package register
