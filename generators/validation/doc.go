// Package validation writes zz_generated.validations.go: functions that say what is wrong with an object.
package validation
