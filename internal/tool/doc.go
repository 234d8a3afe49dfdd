// Package tool has the commands of a server's program: inspect, backup, restore, migrate and
// import.
//
// They work on the database itself and not through a server, so they also work while none runs.
// The commands user and console are clients of a running server.
// Start reading at Run.
package tool
