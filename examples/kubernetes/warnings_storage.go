package kubernetes

import (
	"context"
	"fmt"
	"strings"

	nodev1 "k8s.io/api/node/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/typeplane/typeplane/features/strategy"
	"github.com/typeplane/typeplane/runtime/semantic"
)

// CSIDriverStrategy holds what is special about drivers of volumes.
type CSIDriverStrategy struct{}

// WarningsOnCreate: a driver that is given tokens gets them with what it logs.
func (CSIDriverStrategy) WarningsOnCreate(_ context.Context, driver *storagev1.CSIDriver) []string {
	if len(driver.Spec.TokenRequests) == 0 || driver.Spec.ServiceAccountTokenInSecrets != nil {
		return nil
	}
	return []string{"spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes"}
}

// WarningsOnUpdate are the same, if it is given others.
func (s CSIDriverStrategy) WarningsOnUpdate(ctx context.Context, driver, old *storagev1.CSIDriver) []string {
	if semantic.Equal(driver.Spec.TokenRequests, old.Spec.TokenRequests) {
		return nil
	}
	return s.WarningsOnCreate(ctx, driver)
}

// WarningsOnCreate say what is odd about where there is room for volumes.
func (CSIStorageCapacityStrategy) WarningsOnCreate(_ context.Context, capacity *storagev1.CSIStorageCapacity) []string {
	var w strategy.Warnings
	w.NodeSelector("nodeTopology", capacity.NodeTopology)
	return w.Texts()
}

// WarningsOnUpdate are the same.
func (s CSIStorageCapacityStrategy) WarningsOnUpdate(ctx context.Context, capacity, _ *storagev1.CSIStorageCapacity) []string {
	return s.WarningsOnCreate(ctx, capacity)
}

// WarningsOnCreate say what is odd about the nodes of a class.
func (RuntimeClassStrategy) WarningsOnCreate(_ context.Context, class *nodev1.RuntimeClass) []string {
	var w strategy.Warnings
	if class.Scheduling != nil {
		w.NodeLabels(class.Scheduling.NodeSelector, func(_, instead string) string { return "scheduling.nodeSelector: " + instead })
	}
	return w.Texts()
}

// WarningsOnUpdate are the same.
func (s RuntimeClassStrategy) WarningsOnUpdate(ctx context.Context, class, _ *nodev1.RuntimeClass) []string {
	return s.WarningsOnCreate(ctx, class)
}

// WarningsOnCreate: drivers are compared letter by letter.
func (ResourceSliceStrategy) WarningsOnCreate(_ context.Context, slice *resourcev1.ResourceSlice) []string {
	if driver := slice.Spec.Driver; driver != strings.ToLower(driver) {
		return []string{fmt.Sprintf("spec.driver: driver names should be lowercase; %q contains uppercase characters", driver)}
	}
	return nil
}

// WarningsOnUpdate are the same.
func (s ResourceSliceStrategy) WarningsOnUpdate(ctx context.Context, slice, _ *resourcev1.ResourceSlice) []string {
	return s.WarningsOnCreate(ctx, slice)
}
