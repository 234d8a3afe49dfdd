// Package lossless keeps what an older version can't say of an object, in an annotation of the
// object. On the way to the hub it puts a field back where the older version still says the
// same.
//
// Generated conversions (zz_generated.lossless.go) have a Kind for each kind: the plain
// conversions, and the fields that they may lose. The comment of package
// generators/internal/conversion has the algorithm. It knows no kind by name.
//
// Start reading at Kind. All of it may be used by any number of goroutines.
package lossless

import "embed"

// Source is what generated code leans on, as text: gen prints it beside the code of modules that
// can't import this package. A program that does not name it does not have it.
//
//go:embed kind.go delta.go apply.go same.go fit.go
var Source embed.FS
