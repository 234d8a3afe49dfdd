// Package semantic says whether two values of an API type mean the same, as apimachinery's
// equality.Semantic does. Nil and empty are one. Quantities and times are compared by what they
// stand for. Each type is looked at once, so the answer comes several times faster than the
// library's. Generated validation asks whether something is as it was.
//
// Start reading at Equal.
package semantic
