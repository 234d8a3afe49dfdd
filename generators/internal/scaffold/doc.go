// Package scaffold writes the first files of a module, of a kind, of a version, of a subresource
// and of an admission plug-in: what gen init and gen add do.
//
// Start reading at Init. Project (project.go) is what a module has already, as the model of package
// model sees it. Each command (init.go, kind.go, version.go, subresource.go, admission.go) plans
// files from the templates in the folder templates, and lines to insert. Nothing is written before
// the plan is whole, and no file that exists is written over (plan.go). The go command is run in
// gomod.go.
package scaffold
