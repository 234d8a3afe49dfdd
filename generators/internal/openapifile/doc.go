// Package openapifile is the plug-in for the schemas of an API as one file of OpenAPI v3, for tools
// that read files and not servers.
//
// A package that says +typeplane:openapi asks for it. The file has the schemas of the kinds of the
// package and of those below it, as their servers publish them. Which paths there are depends on what a
// program does with its kinds; a running server tells that, at /openapi/v3.
//
// Start reading at Plugin.
package openapifile
