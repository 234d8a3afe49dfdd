// Package lifecycle is the plug-in for the releases in which a kind came, is deprecated, and goes:
// zz_generated.prerelease-lifecycle.go.
//
// It prints the methods APILifecycleIntroduced, APILifecycleDeprecated, APILifecycleReplacement and
// APILifecycleRemoved, for packages that say +k8s:prerelease-lifecycle-gen=true. By these methods a
// server of Kubernetes' making warns users of an old version, and stops serving it in time. The
// file is the one that prerelease-lifecycle-gen writes, to the byte; but what is wrong with the
// tags is said at their place, and all of it.
//
// Start reading at Plugin; plan.go decides, emit.go prints.
package lifecycle
