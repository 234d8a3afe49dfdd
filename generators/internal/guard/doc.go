// Package guard writes zz_generated.guard.go, which does not compile when a type has changed since
// gen ran.
//
// Generated code that is older than its types often compiles anyway, and then loses the field that
// it does not know. So for each type that other plug-ins printed code for, this one prints the type
// as it was, and converts one to the other. Go allows that as long as both have the same fields of
// the same types in the same order:
//
//	func _() {
//		type runGenAgain struct {
//			Title string
//		}
//		// If this does not compile, Book has changed since gen ran: run go generate, or gen.
//		_ = Book(runGenAgain{})
//	}
//
// Which types these are is seen from what was printed. They are the types of a package that its
// generated files mention, and all types of the package that are reached through their fields. Hub
// types of packages without generated code are added. Declared strings, numbers, lists and maps are
// guarded too; interfaces and functions are not, for no generated code depends on what is in them.
//
// What the guard cannot see is for gen --verify to find. That is changed tags, struct tags and
// comments, constants that an enum gained or lost, new kinds, and types of other modules. Those are
// left out on purpose. Whoever builds chooses the version of another module, and a library must not
// stop compiling because of it.
//
// The guard vouches for all generated files of a package, so it is only written by a run of all
// generators. No package gets one in which nothing else is generated, and +typeplane:guard=false
// turns it off.
//
// Start reading at plan. The package knows no other plug-in, except by the names in the headers of
// their files.
package guard
