package program

// Who collects objects whose owners are gone, and honours what a deletion says of dependents.
const (
	// CollectInServer: the server, if an API of the program collects. It is the default.
	CollectInServer = "server"
	// CollectBeside: a program beside the server, like a kube-controller-manager.
	CollectBeside = "beside"
	// CollectNever: nobody.
	CollectNever = "never"
)
