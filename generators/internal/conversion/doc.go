// Package conversion prints zz_generated.conversion.go: for each struct of a version and the struct
// of the same name in its hub, functions Convert_a_To_b both ways.
//
// A version asks with +k8s:conversion-gen=<import path of the hub>; several hubs are searched in
// order. A hub is a package of internal types or another version. Fields meet by name. What the two
// sides have in common is assigned, cast or converted by a function. Memory is reinterpreted only
// where names, types and order of all fields are equal at every depth. Integers that get narrower
// are checked. A conversion may share memory with its source.
//
// A kind of another module, which a package serves by an alias, is converted with the structs
// beside it that it is made of. The rest of its package is left alone.
//
// A hand-written function with the name and signature of a conversion takes the place of the
// generated one, which stays callable as autoConvert_a_To_b. It is looked for where it is needed,
// where the types are, and in all packages of the run that ask for conversions. A field that has no
// counterpart, or one of another type, needs such a function or the tag +k8s:conversion-gen=false:
// otherwise it is a problem, because converting would lose it.
//
// Two things are printed only for users of apimachinery's Scheme. A package may have the variable
// localSchemeBuilder, declared by hand or by package register. Then RegisterConversions and an
// init function register all conversions of the package with it, those by hand too. A type that
// says +k8s:conversion-gen:explicit-from=net/url.Values gets Convert_url_Values_To_x, which fills
// it from the parameters of a URL. Strings are taken as they are. For other types a function with
// a name like Convert_Slice_string_To_x is looked for, here and in apimachinery. A package that
// says +k8s:conversion-gen=false has no hub and gets nothing but these.
//
// # Without loss
//
// A package of kinds that says +typeplane:conversion:lossless need not have everything that its hub
// has. For each of its kinds of which conversion may lose something, zz_generated.lossless.go has
// LosslessConvert_a_To_b both ways; servers and lists use them instead of Convert_a_To_b, which
// stay as they are. They know nothing of how the plain functions work, so that those may be written
// by hand at any depth:
//
//   - Down. Convert plainly, and convert the result plainly up again. What would be lost is where
//     the hub and this second hub differ. Each difference is kept in the annotation
//     conversion.typeplane.dev/kept. It has what the hub has, and a fingerprint of what the second
//     hub has in its place, which is what the version said at that moment. If nothing differs,
//     there is no annotation.
//   - Up. Take the annotation away and convert plainly. Where the result has what the fingerprint
//     is of, put what the hub had; where not, the client changed it, and wins. Objects are compared
//     field by field and maps entry by entry. Items of lists are found again by their keys
//     (+listMapKey, on the version or the hub), else by their content. What is kept for an item
//     that is not found again is dropped. Items that the version doesn't show at all stay behind
//     the item that they stood behind.
//   - Check. A function written by hand may make one field of several. Then the version could say
//     something else now than the client said. In that case parts of what is kept are tried one by
//     one, a limited number of times, and those that don't fit are dropped.
//
// Which fields may be lost is known when gen runs: those without a counterpart, those that are left
// out, and what is below a function written by hand. Only those are compared, by generated
// functions; JSON is made only where they differ.
//
// The annotation is compact JSON, one for each object, the same for the same object. Its size has
// no limit of its own. What it holds was accepted within the limits of objects, and to drop some of
// it would be the loss that it prevents. It names the object and fits no other. On an object with
// another name, namespace or uid (either may be left out) it restores nothing. A damaged annotation
// restores nothing either. Without it an object is what it says: whoever removes it removes what it
// keeps. A client can write in it only what it could write in another version of its own object,
// and nothing that changes what the version says. It holds the names of the hub's Go fields:
// renaming one forgets what is kept in stored objects.
//
// Not kept: metadata, which all versions share; null among the items of a list; whatever JSON does
// not tell apart.
//
// Start reading at newPlan, which decides and returns a tree of steps, and printPlan; for the rest
// at newKeepers and at the template in the folder lossless. Nothing printed depends on packages of
// this module.
package conversion
