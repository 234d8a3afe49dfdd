// Package console keeps the output of containers, for a server that runs none. The lines come
// from the server itself, and from clients that are attached to a pod.
//
// Consoles has one Console for each container of each pod, in memory, with a bound on all of them.
// Log streams one to clients of pods/log, Attach joins clients of pods/attach to one, by WebSocket,
// as kubectl speaks it. Start reading at Console. The package knows no pods: who is asked for, and
// whether they are there, is the business of the strategy of pods. Nothing here is stored. What was
// printed is gone when the process ends, and each server has consoles of its own.
package console
