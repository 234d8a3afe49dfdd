// Package deepcopy is the plug-in for deep copies: zz_generated.deepcopy.go.
//
// It reads the tags of deepcopy-gen and of controller-gen's object generator and prints, for each type that they ask
// for, DeepCopyInto, DeepCopy and a DeepCopy<Interface> for each interface; hand-written methods are called instead
// of replaced. The text is deepcopy-gen's own wherever that is right. Beyond it: arrays are copied element by element,
// unexported helper types get methods too, structs without methods (of other modules, anonymous, generic) are copied
// in place, an empty interface is taken for a JSON value, and fields called _ are left alone. What cannot be copied
// is a problem with its position.
//
// Start reading at Plugin; plan.go decides, emit.go prints.
package deepcopy
