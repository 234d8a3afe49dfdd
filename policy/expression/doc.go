// Package expression compiles and evaluates the expressions of admission policies and of the
// matchConditions of webhooks, in CEL.
//
// Start reading at Compile and Policy.Evaluate, or at CompileMutations and Policy.Mutate.
// language.go says which variables there are, package cel/language which functions, and what a call
// may cost. budget.go says what a policy may cost in all. conditions.go is for webhooks. Objects
// are JSON values without types: what an expression does with a field is judged when it is
// evaluated. The package reads nothing and decides nothing; who is asked about what, and what
// happens to it, is in the package above.
package expression
