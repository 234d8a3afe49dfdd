package server

import (
	"fmt"
	"slices"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/rest"
)

// This file has the rules for options. Their violation is a 422 in the group meta.k8s.io: clients
// fall back on it, for example from a watch with initial events to a list and a watch.

// invalidOptions is nil if there are no errors.
func invalidOptions(kind string, errs field.ErrorList) error {
	if len(errs) == 0 {
		return nil
	}
	return rest.Invalid(schema.GroupKind{Group: metav1.GroupName, Kind: kind}, "", errs)
}

func validateList(opts metav1.ListOptions) field.ErrorList {
	var errs field.ErrorList
	matchPath := field.NewPath("resourceVersionMatch")
	if match := opts.ResourceVersionMatch; match != "" {
		if opts.ResourceVersion == "" {
			errs = append(errs, field.Forbidden(matchPath, "resourceVersionMatch is forbidden unless resourceVersion is provided"))
		}
		if opts.Continue != "" {
			errs = append(errs, field.Forbidden(matchPath, "resourceVersionMatch is forbidden when continue is provided"))
		}
		if match != metav1.ResourceVersionMatchExact && match != metav1.ResourceVersionMatchNotOlderThan {
			errs = append(errs, field.NotSupported(matchPath, match, []metav1.ResourceVersionMatch{metav1.ResourceVersionMatchExact, metav1.ResourceVersionMatchNotOlderThan, ""}))
		}
		if match == metav1.ResourceVersionMatchExact && opts.ResourceVersion == "0" {
			errs = append(errs, field.Forbidden(matchPath, `resourceVersionMatch "exact" is forbidden for resourceVersion "0"`))
		}
	}
	if opts.SendInitialEvents != nil {
		errs = append(errs, field.Forbidden(field.NewPath("sendInitialEvents"), "sendInitialEvents is forbidden for list"))
	}
	return errs
}

func validateWatch(opts metav1.ListOptions) field.ErrorList {
	var errs field.ErrorList
	matchPath := field.NewPath("resourceVersionMatch")
	match := opts.ResourceVersionMatch
	if opts.SendInitialEvents != nil && match != metav1.ResourceVersionMatchNotOlderThan {
		errs = append(errs, field.Forbidden(matchPath, fmt.Sprintf("sendInitialEvents requires setting resourceVersionMatch to %s", metav1.ResourceVersionMatchNotOlderThan)))
	}
	if match != "" {
		if opts.SendInitialEvents == nil {
			errs = append(errs, field.Forbidden(matchPath, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"))
		}
		if match != metav1.ResourceVersionMatchNotOlderThan {
			errs = append(errs, field.NotSupported(matchPath, match, []metav1.ResourceVersionMatch{metav1.ResourceVersionMatchNotOlderThan}))
		}
	}
	if opts.Continue != "" {
		errs = append(errs, field.Forbidden(field.NewPath("continue"), "continue is forbidden for watch"))
	}
	return errs
}

// maxFieldManager is the length of the longest name of a field manager, in bytes.
const maxFieldManager = 128

// validateWrite has the rules that create, update and patch share.
func validateWrite(dryRun []string, fieldManager, fieldValidation string) field.ErrorList {
	var errs field.ErrorList
	managerPath := field.NewPath("fieldManager")
	if len(fieldManager) > maxFieldManager {
		errs = append(errs, field.TooLong(managerPath, "", maxFieldManager))
	}
	for i, r := range fieldManager {
		if !unicode.IsPrint(r) {
			errs = append(errs, field.Invalid(managerPath, fieldManager, fmt.Sprintf("invalid character %#U (at position %d)", r, i)))
		}
	}
	errs = append(errs, validateDryRun(dryRun)...)
	directives := []string{"", metav1.FieldValidationIgnore, metav1.FieldValidationStrict, metav1.FieldValidationWarn}
	if !slices.Contains(directives, fieldValidation) {
		errs = append(errs, field.NotSupported(field.NewPath("fieldValidation"), fieldValidation, directives))
	}
	return errs
}

// validatePatch adds what only one type of patch may or must say.
func validatePatch(opts metav1.PatchOptions, patchType types.PatchType) field.ErrorList {
	var errs field.ErrorList
	switch {
	case patchType != types.ApplyYAMLPatchType && opts.Force != nil:
		errs = append(errs, field.Forbidden(field.NewPath("force"), "may not be specified for non-apply patch"))
	case patchType == types.ApplyYAMLPatchType && opts.FieldManager == "":
		// What somebody applies again later has to be told from what others have applied.
		errs = append(errs, field.Required(field.NewPath("fieldManager"), "is required for apply patch"))
	}
	return append(errs, validateWrite(opts.DryRun, opts.FieldManager, opts.FieldValidation)...)
}

func validateDryRun(dryRun []string) field.ErrorList {
	for _, value := range dryRun {
		if value != metav1.DryRunAll {
			return field.ErrorList{field.NotSupported(field.NewPath("dryRun"), dryRun, []string{metav1.DryRunAll})}
		}
	}
	return nil
}

func validateDelete(opts metav1.DeleteOptions) field.ErrorList {
	var errs field.ErrorList
	policyPath := field.NewPath("propagationPolicy")
	if policy := opts.PropagationPolicy; policy != nil {
		//lint:ignore SA1019 deprecated, but still what some clients send
		if opts.OrphanDependents != nil {
			errs = append(errs, field.Invalid(policyPath, *policy, "orphanDependents and deletionPropagation cannot be both set"))
		}
		policies := []metav1.DeletionPropagation{metav1.DeletePropagationForeground, metav1.DeletePropagationBackground, metav1.DeletePropagationOrphan}
		if !slices.Contains(policies, *policy) {
			errs = append(errs, field.NotSupported(policyPath, *policy, append(policies, "nil")))
		}
	}
	errs = append(errs, validateDryRun(opts.DryRun)...)
	if ignoresReadErrors(opts) {
		errs = append(errs, validateIgnoreReadErrors(opts)...)
	}
	return errs
}

var ignoreReadErrorsPath = field.NewPath("ignoreStoreReadErrorWithClusterBreakingPotential")

// validateIgnoreReadErrors: of an object that can't be read nobody knows what any of these would
// mean.
func validateIgnoreReadErrors(opts metav1.DeleteOptions) field.ErrorList {
	var errs field.ErrorList
	for _, other := range []struct {
		name string
		set  bool
	}{
		{".propagationPolicy", opts.PropagationPolicy != nil},
		//lint:ignore SA1019 deprecated, but still what some clients send
		{".orphanDependents", opts.OrphanDependents != nil},
		{".gracePeriodSeconds", opts.GracePeriodSeconds != nil},
		{".preconditions", opts.Preconditions != nil},
	} {
		if other.set {
			errs = append(errs, field.Invalid(ignoreReadErrorsPath, true, "cannot be set together with "+other.name))
		}
	}
	return errs
}

// validateDeleteCollection adds that what can't be read is deleted by name only.
func validateDeleteCollection(opts metav1.DeleteOptions) field.ErrorList {
	errs := validateDelete(opts)
	if len(errs) == 0 && ignoresReadErrors(opts) {
		errs = append(errs, field.Invalid(ignoreReadErrorsPath, true, "is not allowed with DELETECOLLECTION, try again after removing the option"))
	}
	return errs
}
