// Package etcdproc runs etcd as processes on loopback, one member or several, and makes them
// fail as a data centre does. It kills and freezes members, and cuts and delays what they say to
// each other and to their clients. The etcd is that of the released server module. The package
// is for tests and demos; no server imports it.
//
// Members listen on unix sockets only. In front of each member stand two TCP proxies of this
// process, one for its clients and one for the other members. Their addresses stay the same while
// the member comes and goes, so no free port has to be guessed. A test that asks the network to
// fail asks the proxies.
//
// Start reading at Start. The package uses the standard library only, so that nested modules with
// any set of dependencies may import it; it never speaks gRPC, but asks members through their JSON
// gateway. It does not work on Windows.
package etcdproc
