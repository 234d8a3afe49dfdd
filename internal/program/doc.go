// Package program has what a program declares, and the options, flags and settings of its operator.
//
// A generated main hands over a Server. Join adds the APIs that the operator has chosen, and
// ParseLine reads the command line, the environment and the file. Nothing here is opened or run:
// that is for package serve, and for the commands in package tool. Users know Server, API, Host and
// the options as names of package typeplane.
package program
