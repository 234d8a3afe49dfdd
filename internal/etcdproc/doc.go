// Package etcdproc runs etcd of the released server module as processes on loopback, one member or
// several, and does to them what a data centre does: kills and freezes members, cuts and delays
// what they say to each other and to their clients. It is for tests and demos; no server imports
// it.
//
// Members listen on unix sockets only. In front of each stand two TCP proxies of this process, one
// for its clients and one for the other members, whose addresses stay the same while the member
// comes and goes; so nobody has to guess a free port. A test that asks the network to fail asks the
// proxies.
//
// Start reading at Start. The package uses the standard library only, so that nested modules with
// any set of dependencies may import it; it never speaks gRPC, but asks members through their JSON
// gateway. It does not work on Windows.
package etcdproc
