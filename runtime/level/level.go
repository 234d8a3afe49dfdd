// Package level says which generated code this version of the module fits.
//
// All generated code that imports a package of the module names a constant of this one. When
// generated code needs more of the module than before, a constant is added. When the module no
// longer has what the code of a level needs, the constant of that level goes. So code and runtime
// that don't fit do not compile, and the compiler's message names the command that helps where the
// runtime is too old. Where it is too new, gen has to be run again.
package level

// Level1_go_get_u_github_com_typeplane_typeplane_runtime is the level of all code that was
// generated so far.
const Level1_go_get_u_github_com_typeplane_typeplane_runtime = 1
