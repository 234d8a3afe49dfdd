package dropin

// What is copied, and what its tests need, must be in the module cache.
import (
	_ "k8s.io/api/core/v1"
	_ "k8s.io/apimachinery/pkg/api/apitesting/roundtrip"
)
