// Package pacing holds back long work, so that short work need not wait for it, and so that the
// process keeps within its memory.
//
// WaitIdle waits until a processor has nothing else to do, and WaitMemory until there is memory. A
// Writer does both now and then, for whoever makes a long answer. Start reading there.
//
// All of it is about this process as a whole, and may be used from any goroutine. Only a Writer
// belongs to one.
package pacing
