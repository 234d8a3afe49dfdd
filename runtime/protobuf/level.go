package protobuf

// Level1_go_get_u_github_com_typeplane_typeplane_runtime is what generated code names that needs this package as it is now. When
// generated code needs more, there is another level beside it; when this package no longer has what the code of a level needs, its
// constant goes. So code and runtime that don't fit do not compile, and the compiler's message names the command.
const Level1_go_get_u_github_com_typeplane_typeplane_runtime = 1
