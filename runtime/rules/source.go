package rules

import "embed"

// Source is what generated code leans on, as text: gen prints it beside the code of modules that
// can't import this package. A program that does not name it does not have it.
//
//go:embed rules.go sent.go
var Source embed.FS
