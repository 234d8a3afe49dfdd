// Package docs writes the reference of an API as Markdown: one page for each version,
// docs/api/<group>_<version>.md in the root of the module.
//
// A package asks for it with +typeplane:docs=true, or names the folder in which the page should
// stand, as in +typeplane:docs=documents/reference. A page tells of each kind how it is served and
// what fields it has, down to the last struct. It has types, defaults, limits, enum values and list
// semantics, in the words of the Go comments. It says what model.API has; tags and struct tags are
// not in it, nor is what stands below "---" in a comment.
//
// A page names the package that it is from. A run removes pages of packages that are gone or no
// longer ask for one. It looks in docs/api and in the folders that it writes to. A folder that no
// tag names any more is not found.
//
// Start reading at plan. page.go lays a page out, facts.go puts tags into words, text.go turns
// comments into Markdown.
package docs
