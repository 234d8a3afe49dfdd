// Package tool has the commands of a server's program: inspect, backup, restore, migrate and
// import.
//
// They work on the database itself and not through a server, so they also work while none runs.
// Start reading at Run.
package tool
