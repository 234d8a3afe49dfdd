// Package lossless is what generated conversions need to keep what an older version can't say. It is a template: the
// conversion plug-in prints kind.go, delta.go, apply.go and same.go, without their package clauses and imports, into
// each package that asks for it, so that generated code imports nothing of ours. It is a package of its own so that it is compiled and
// tested like any other.
//
// Start reading at losslessKind in kind.go; the algorithm is told in the comment of the package above. It knows no kind by name.
package lossless
