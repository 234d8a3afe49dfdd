package main

import (
	"fmt"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/rest"
)

// What pods, and volumes, say of the nodes that they want.

// validateScheduling judges where a pod wants to run.
func validateScheduling(spec *corev1.PodSpec, path *field.Path) field.ErrorList {
	errs := metav1validation.ValidateLabels(spec.NodeSelector, path.Child("nodeSelector"))
	if spec.NodeName != "" {
		errs = append(errs, invalid(path.Child("nodeName"), spec.NodeName, content.IsDNS1123Subdomain(spec.NodeName))...)
	}
	if a := spec.Affinity; a != nil {
		errs = append(errs, validateAffinity(a, path.Child("affinity"))...)
	}
	for i, t := range rest.WhileFew(&errs, slices.All(spec.Tolerations)) {
		errs = append(errs, validateToleration(t, path.Child("tolerations").Index(i))...)
	}
	errs = append(errs, validateSchedulingGates(spec.SchedulingGates, path.Child("schedulingGates"))...)
	if name := spec.PriorityClassName; name != "" {
		errs = append(errs, invalid(path.Child("priorityClassName"), name, apivalidation.NameIsDNSSubdomain(name, false))...)
	}
	if p := spec.PreemptionPolicy; p != nil {
		errs = append(errs, oneOfRequired(path.Child("preemptionPolicy"), *p, corev1.PreemptLowerPriority, corev1.PreemptNever)...)
	}
	return append(errs, validateSpreading(spec.TopologySpreadConstraints, path.Child("topologySpreadConstraints"))...)
}

// validateSchedulingGates judges what a pod waits for before anybody looks for a node.
func validateSchedulingGates(gates []corev1.PodSchedulingGate, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	names := map[string]bool{}
	for i, g := range rest.WhileFew(&errs, slices.All(gates)) {
		errs = append(errs, invalid(path.Index(i), g.Name, validation.IsQualifiedName(g.Name))...)
		errs = append(errs, unique(path.Index(i), g.Name, names)...)
	}
	return errs
}

func validateAffinity(a *corev1.Affinity, path *field.Path) field.ErrorList {
	const required, preferred = "requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution"
	var errs field.ErrorList
	if n := a.NodeAffinity; n != nil {
		at := path.Child("nodeAffinity")
		if s := n.RequiredDuringSchedulingIgnoredDuringExecution; s != nil {
			errs = append(errs, validateNodeSelector(s, at.Child(required))...)
		}
		for i, t := range rest.WhileFew(&errs, slices.All(n.PreferredDuringSchedulingIgnoredDuringExecution)) {
			errs = append(errs, validateWeight(t.Weight, at.Child(preferred).Index(i))...)
			errs = append(errs, validateNodeTerm(t.Preference, true, at.Child(preferred).Index(i).Child("preference"))...)
		}
	}
	pods := func(is []corev1.PodAffinityTerm, should []corev1.WeightedPodAffinityTerm, at *field.Path) {
		for i, t := range rest.WhileFew(&errs, slices.All(is)) {
			errs = append(errs, validatePodTerm(t, at.Child(required).Index(i))...)
		}
		for i, t := range rest.WhileFew(&errs, slices.All(should)) {
			errs = append(errs, validateWeight(t.Weight, at.Child(preferred).Index(i))...)
			errs = append(errs, validatePodTerm(t.PodAffinityTerm, at.Child(preferred).Index(i).Child("podAffinityTerm"))...)
		}
	}
	if p := a.PodAffinity; p != nil {
		pods(p.RequiredDuringSchedulingIgnoredDuringExecution, p.PreferredDuringSchedulingIgnoredDuringExecution, path.Child("podAffinity"))
	}
	if p := a.PodAntiAffinity; p != nil {
		pods(p.RequiredDuringSchedulingIgnoredDuringExecution, p.PreferredDuringSchedulingIgnoredDuringExecution, path.Child("podAntiAffinity"))
	}
	return errs
}

func validateWeight(weight int32, path *field.Path) field.ErrorList {
	if weight < 1 || weight > 100 {
		return field.ErrorList{field.Invalid(path.Child("weight"), weight, "must be in the range 1-100")}
	}
	return nil
}

// validateNodeSelector judges which nodes are meant: those of any of the terms.
func validateNodeSelector(s *corev1.NodeSelector, path *field.Path) field.ErrorList {
	terms := path.Child("nodeSelectorTerms")
	if len(s.NodeSelectorTerms) == 0 {
		return field.ErrorList{field.Required(terms, "must have at least one node selector term")}
	}
	var errs field.ErrorList
	for i, t := range rest.WhileFew(&errs, slices.All(s.NodeSelectorTerms)) {
		errs = append(errs, validateNodeTerm(t, false, terms.Index(i))...)
	}
	return errs
}

// validateNodeTerm judges one term. A wish may name values that no label has.
func validateNodeTerm(t corev1.NodeSelectorTerm, wish bool, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, r := range rest.WhileFew(&errs, slices.All(t.MatchExpressions)) {
		errs = append(errs, validateNodeLabel(r, wish, path.Child("matchExpressions").Index(i))...)
	}
	for i, r := range rest.WhileFew(&errs, slices.All(t.MatchFields)) {
		at := path.Child("matchFields").Index(i)
		if !slices.Contains([]corev1.NodeSelectorOperator{corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn}, r.Operator) {
			errs = append(errs, field.Invalid(at.Child("operator"), r.Operator, "not a valid selector operator"))
		} else if len(r.Values) != 1 {
			errs = append(errs, field.Required(at.Child("values"), "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"))
		}
		if r.Key != metav1.ObjectNameField {
			errs = append(errs, field.Invalid(at.Child("key"), r.Key, "not a valid field selector key"))
			continue
		}
		for j, v := range rest.WhileFew(&errs, slices.All(r.Values)) {
			errs = append(errs, invalid(at.Child("values").Index(j), v, content.IsDNS1123Subdomain(v))...)
		}
	}
	return errs
}

func validateNodeLabel(r corev1.NodeSelectorRequirement, wish bool, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	values := path.Child("values")
	switch r.Operator {
	case corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn:
		if len(r.Values) == 0 {
			errs = append(errs, field.Required(values, "must be specified when `operator` is 'In' or 'NotIn'"))
		}
	case corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist:
		if len(r.Values) > 0 {
			errs = append(errs, field.Forbidden(values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"))
		}
	case corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt:
		if len(r.Values) != 1 {
			errs = append(errs, field.Required(values, "must be specified single value when `operator` is 'Lt' or 'Gt'"))
		}
	default:
		errs = append(errs, field.Invalid(path.Child("operator"), r.Operator, "not a valid selector operator"))
	}
	errs = append(errs, metav1validation.ValidateLabelName(r.Key, path.Child("key"))...)
	for i, v := range rest.WhileFew(&errs, slices.All(r.Values)) {
		if !wish {
			errs = append(errs, invalid(values.Index(i), v, content.IsLabelValue(v))...)
		}
	}
	return errs
}

// validatePodTerm judges beside which pods, or far from which, a pod wants to be.
func validatePodTerm(t corev1.PodAffinityTerm, path *field.Path) field.ErrorList {
	labels := metav1validation.LabelSelectorValidationOptions{}
	errs := metav1validation.ValidateLabelSelector(t.LabelSelector, labels, path.Child("labelSelector"))
	errs = append(errs, metav1validation.ValidateLabelSelector(t.NamespaceSelector, labels, path.Child("namespaceSelector"))...)
	for _, name := range rest.WhileFew(&errs, slices.All(t.Namespaces)) {
		errs = append(errs, invalid(path.Child("namespace"), name, apivalidation.ValidateNamespaceName(name, false))...)
	}
	errs = append(errs, validateLabelKeys(t.MatchLabelKeys, t.MismatchLabelKeys, t.LabelSelector, path)...)
	if t.TopologyKey == "" {
		errs = append(errs, field.Required(path.Child("topologyKey"), "can not be empty"))
	}
	return append(errs, metav1validation.ValidateLabelName(t.TopologyKey, path.Child("topologyKey"))...)
}

// validateLabelKeys judges keys whose values are taken from the pod itself, to select by or against
// them. It is ValidateMatchLabelKeysAndMismatchLabelKeys in pkg/apis/core/validation of Kubernetes.
func validateLabelKeys(match, mismatch []string, selector *metav1.LabelSelector, path *field.Path) field.ErrorList {
	errs := append(validateKeyNames(match, selector, path.Child("matchLabelKeys")), validateKeyNames(mismatch, selector, path.Child("mismatchLabelKeys"))...)
	if len(match) == 0 {
		return errs
	}
	errs = append(errs, validateSelectedOnce(match, selector, path)...)
	against := map[string]bool{}
	for _, key := range mismatch {
		against[key] = true
	}
	for i, key := range rest.WhileFew(&errs, slices.All(match)) {
		if against[key] {
			errs = append(errs, field.Invalid(path.Child("matchLabelKeys").Index(i), key, "exists in both matchLabelKeys and mismatchLabelKeys"))
		}
	}
	return errs
}

// validateSelectedOnce judges a selector that selects by the labels of the pod under some keys
// already: nothing else is said of them.
func validateSelectedOnce(keys []string, selector *metav1.LabelSelector, path *field.Path) field.ErrorList {
	if selector == nil {
		return nil
	}
	last, said := map[string]int{}, map[string]bool{}
	for i, key := range keys {
		last[key] = i
	}
	for key := range selector.MatchLabels {
		said[key] = true
	}
	var errs field.ErrorList
	for _, e := range rest.WhileFew(&errs, slices.All(selector.MatchExpressions)) {
		if i, ok := last[e.Key]; ok && said[e.Key] {
			errs = append(errs, field.Invalid(path.Index(i), e.Key, "exists in both matchLabelKeys and labelSelector"))
		}
		said[e.Key] = true
	}
	return errs
}

// validateKeyNames judges keys of labels: without a selector they say nothing.
func validateKeyNames(keys []string, selector *metav1.LabelSelector, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(keys) > 0 && selector == nil {
		return field.ErrorList{field.Forbidden(path, "must not be specified when labelSelector is not set")}
	}
	for i, key := range rest.WhileFew(&errs, slices.All(keys)) {
		errs = append(errs, metav1validation.ValidateLabelName(key, path.Index(i))...)
	}
	return errs
}

func validateToleration(t corev1.Toleration, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if t.Key != "" {
		errs = append(errs, metav1validation.ValidateLabelName(t.Key, path.Child("key"))...)
	}
	operator := path.Child("operator")
	if t.Key == "" && t.Operator != corev1.TolerationOpExists {
		errs = append(errs, field.Invalid(operator, t.Operator, "operator must be Exists when `key` is empty, which means \"match all values and all keys\""))
	}
	if t.TolerationSeconds != nil && t.Effect != corev1.TaintEffectNoExecute {
		errs = append(errs, field.Invalid(path.Child("effect"), t.Effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"))
	}
	switch t.Operator {
	case corev1.TolerationOpEqual, "":
		errs = append(errs, invalid(operator, t.Value, content.IsLabelValue(t.Value))...)
	case corev1.TolerationOpExists:
		if t.Value != "" {
			errs = append(errs, field.Invalid(operator, t.Value, "value must be empty when `operator` is 'Exists'"))
		}
	case corev1.TolerationOpLt, corev1.TolerationOpGt:
		errs = append(errs, invalid(path.Child("value"), t.Value, content.IsDecimalInteger(t.Value))...)
		if _, err := strconv.ParseInt(t.Value, 10, 64); err != nil {
			errs = append(errs, field.Invalid(path.Child("value"), t.Value, err.Error()))
		}
	default:
		errs = append(errs, field.NotSupported(operator, t.Operator, []corev1.TolerationOperator{corev1.TolerationOpEqual, corev1.TolerationOpExists}))
	}
	if t.Effect != "" {
		errs = append(errs, oneOf(path.Child("effect"), t.Effect, corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute)...)
	}
	return errs
}

// validateSpreading judges how evenly pods lie over the nodes.
func validateSpreading(constraints []corev1.TopologySpreadConstraint, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, c := range rest.WhileFew(&errs, slices.Backward(constraints)) { // an error is told of the first of two
		at := path.Index(i)
		var own field.ErrorList
		if c.MaxSkew < 1 {
			own = append(own, field.Invalid(at.Child("maxSkew"), c.MaxSkew, "must be greater than zero"))
		}
		if c.TopologyKey == "" {
			own = append(own, field.Required(at.Child("topologyKey"), "can not be empty"))
		}
		own = append(own, oneOf(at.Child("whenUnsatisfiable"), c.WhenUnsatisfiable, corev1.DoNotSchedule, corev1.ScheduleAnyway)...)
		pair := fmt.Sprintf("{%v, %v}", c.TopologyKey, c.WhenUnsatisfiable)
		if seen[pair] {
			own = append(own, field.Duplicate(at.Child("{topologyKey, whenUnsatisfiable}"), pair))
		}
		seen[pair] = true
		own = append(own, validateDomains(c, at.Child("minDomains"))...)
		for _, policy := range []struct {
			name string
			is   *corev1.NodeInclusionPolicy
		}{{"nodeAffinityPolicy", c.NodeAffinityPolicy}, {"nodeTaintsPolicy", c.NodeTaintsPolicy}} {
			if policy.is != nil {
				own = append(own, oneOf(at.Child(policy.name), *policy.is, corev1.NodeInclusionPolicyHonor, corev1.NodeInclusionPolicyIgnore)...)
			}
		}
		own = append(own, validateLabelKeys(c.MatchLabelKeys, nil, c.LabelSelector, at)...)
		own = append(own, metav1validation.ValidateLabelSelector(c.LabelSelector, metav1validation.LabelSelectorValidationOptions{}, at.Child("labelSelector"))...)
		slices.Reverse(own)
		errs = append(errs, own...)
	}
	slices.Reverse(errs)
	return errs
}

func validateDomains(c corev1.TopologySpreadConstraint, path *field.Path) field.ErrorList {
	if c.MinDomains == nil {
		return nil
	}
	var errs field.ErrorList
	if *c.MinDomains < 1 {
		errs = append(errs, field.Invalid(path, *c.MinDomains, "must be greater than zero"))
	}
	if c.WhenUnsatisfiable != corev1.DoNotSchedule {
		errs = append(errs, field.Invalid(path, *c.MinDomains, fmt.Sprintf("can only use minDomains if whenUnsatisfiable=%s, not %s", corev1.DoNotSchedule, c.WhenUnsatisfiable)))
	}
	return errs
}

// validateReadinessGates judges the conditions that a pod is not ready without.
func validateReadinessGates(gates []corev1.PodReadinessGate, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, g := range rest.WhileFew(&errs, slices.All(gates)) {
		errs = append(errs, invalid(path.Index(i).Child("conditionType"), string(g.ConditionType), validation.IsQualifiedName(string(g.ConditionType)))...)
	}
	return errs
}
