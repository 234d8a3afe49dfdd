// Package deepcopy is the plug-in for deep copies: zz_generated.deepcopy.go.
//
// It reads the tags of deepcopy-gen and of controller-gen's object generator. For each type that
// they ask for it prints DeepCopyInto, DeepCopy and a DeepCopy<Interface> for each interface.
// Hand-written methods are called instead of replaced. Names, signatures and comments are those of
// deepcopy-gen, so that a repository can switch; the statements are not, because they can be
// faster:
//
//   - A struct that mostly consists of structs with methods is written field by field instead of
//     twice.
//   - Maps of plain values are cloned, without hashing their keys again.
//   - What holds times of apimachinery, but no other pointers, is assigned, a list of it in one go:
//     all conditions are.
//   - Up to four neighbouring pointers of a struct get their memory at once where all of them are
//     set. Whoever keeps one of them keeps the memory of its neighbours, and nothing more.
//   - The functions for types of other modules, and that for metadata, first count what an object
//     has. They count strings behind pointers and in lists, numbers, and small structs that objects
//     have many of. The copy then gets all of one type at once. Memory is never shared by two
//     objects, not by those of one list either. A program may keep a list of strings, an owner
//     reference or a pointer to a number from a copied object, and drop the object. Then it keeps
//     all of the object's values of that type, with all that they refer to. Whoever wants to keep
//     only that has to copy it. Lists have no room behind their last item: what is appended to one
//     lands elsewhere.
//   - A kind of another module gets its metadata's memory with the object. A kind with few values
//     of each type, like a Node, gets up to 1 KiB for these, too, with room for one item in each
//     list. All of it is one block, if at least half of that is needed. Whoever keeps a part of
//     such a copy keeps the object with all that it refers to.
//
// What is nil stays nil and what is empty stays empty; a copy shares no memory with its original,
// except what never changes: strings, times, addresses. It does more than deepcopy-gen. Arrays are
// copied element by element, and unexported helper types get methods too. Structs without methods
// (of other modules, anonymous, generic) are copied in place. Fields called _ are left alone. An
// empty interface is taken for a JSON value: map[string]any and []any are copied at every depth, as
// runtime.DeepCopyJSONValue does, and everything else is assigned instead of being a panic. What
// cannot be copied is a problem with its position.
//
// A kind of another module, which a package serves by an alias, gets the function DeepCopy_<Alias>.
// Functions of the file copy it and all structs that it is made of, and the metadata of a package's
// own kinds. They know the fields that those types had when gen ran. A type that has grown since is
// of another size. So each function compares the sizes of what it copies and of what it assigns,
// and leaves the rest to the methods. The comparison costs nothing when the function runs.
//
// The functions and the memory for metadata and the other types of apimachinery are in
// runtime/deepcopy, which the file imports where the module requires it. Where it does not, or with
// gen --inline-runtime, the file has its own: nobody needs a requirement for deep copies alone.
//
// Fully set objects of k8s.io/api are copied 1.5 (Pod) to 1.8 times (Node) as fast as by its own
// methods; a running Pod, with little set, takes as long (test/codebench).
//
// Start reading at Plugin; plan.go decides, emit.go prints; slabs.go and own.go have what is
// allocated together.
package deepcopy
