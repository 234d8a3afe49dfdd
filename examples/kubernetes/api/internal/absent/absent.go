// Package absent fills in fields that a client has left out.
package absent

// Set sets a pointer that is nil.
func Set[T any](field **T, value T) {
	if *field == nil {
		*field = &value
	}
}

// Fill sets a value that is zero.
func Fill[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
