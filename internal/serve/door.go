package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/server"
)

// door is where clients come in: the listener, and who may.
type door struct {
	*access
	listener net.Listener
	waiting  *server.Waiting // answers until there is a server
}

// openDoor listens. Until there is a server, whoever asks learns that there is none yet.
func (p *plan) openDoor(ctx context.Context, opened *closers) (*door, error) {
	listening, err := listen(ctx, &p.options.Serving)
	if err != nil {
		return nil, err
	}
	listener := ration(listening.(*net.TCPListener), places(descriptors()), p.log)
	opened.add(func() error {
		listener.Close() // Serve has closed it already if there was one
		return nil
	})
	if err := p.takeKeys(ctx); err != nil {
		return nil, err
	}
	access, err := openAccess(p.options, p.log)
	if err != nil {
		return nil, err
	}
	waiting, err := server.Wait(listener, access.tls(), "its etcd is not open yet", p.log)
	if err != nil {
		return nil, err
	}
	opened.add(func() error {
		waiting.End() // it was ended already if all went well, and the listener is closed in any case
		return nil
	})
	return &door{access: access, listener: listener, waiting: waiting}, nil
}

// keep writes the address and the administrator's credentials, now that the data directory is known
// to be this server's.
func (d *door) keep(name string) error {
	d.waiting.Say("its objects are not open yet")
	return d.access.keep(name, d.listener.Addr())
}

// url is where clients on this machine reach the server.
func (d *door) url() string { return clientURL(d.listener.Addr()) }

// address is what to listen on.
func address(o *program.ServingOptions) string {
	return net.JoinHostPort(o.BindAddress, strconv.Itoa(o.SecurePort))
}

func listen(ctx context.Context, o *program.ServingOptions) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address(o))
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("another process listens on %s already; stop it, or choose another port with --secure-port (0 takes a free one)", address(o))
	}
	if errors.Is(err, syscall.EACCES) {
		return nil, fmt.Errorf("listening on %s is not allowed; choose a port above 1023 with --secure-port", address(o))
	}
	if errors.Is(err, syscall.EADDRNOTAVAIL) {
		return nil, fmt.Errorf("this machine does not have the address %s; choose another with --bind-address", o.BindAddress)
	}
	return listener, err
}
