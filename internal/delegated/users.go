package delegated

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

// Users are the credentials of a kubeconfig file whose users are called like the hosts that they
// are for. It is not modified.
type Users struct {
	byHost  map[string]*Config
	current *Config // of the current context; nil for none
}

// ReadUsers reads the users of a kubeconfig file: "host:port", "host" for the port of HTTPS,
// "*.domain", or "*" for every host. Clusters do not matter. The user of the current context is for
// hosts that no other user is for. Paths are relative to the file's folder. Credentials that a
// server can't use are an error.
func ReadUsers(file string) (*Users, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var k kubeconfig
	if err := yaml.Unmarshal(data, &k); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	users := &Users{byHost: map[string]*Config{}}
	var errs []error
	for i := range k.Users {
		name, u := k.Users[i].Name, &k.Users[i].User
		config := u.config(filepath.Dir(file))
		err := u.check(name)
		if err == nil {
			if err = config.checkCredential(); err != nil {
				err = fmt.Errorf("user %q: %w", name, err)
			}
		}
		errs = append(errs, err)
		users.byHost[name] = &config
	}
	for _, c := range k.Contexts {
		if c.Name == k.CurrentContext && k.CurrentContext != "" {
			users.current = users.byHost[c.Context.User]
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return users, nil
}

// httpsPort need not be said.
const httpsPort = "443"

// For returns the credentials for host:port, the nearest that there are: its own, those of its
// domain, of all hosts, of the current context. nil: none.
func (u *Users) For(hostPort string) *Config {
	names := []string{hostPort}
	if host, port, err := net.SplitHostPort(hostPort); err == nil && port == httpsPort {
		names = append(names, host)
	}
	for _, name := range names {
		for pattern := name; ; pattern = "*." + name {
			if c := u.byHost[pattern]; c != nil {
				return c
			}
			_, rest, ok := strings.Cut(name, ".")
			if !ok {
				break
			}
			name = rest
		}
	}
	if c := u.byHost["*"]; c != nil {
		return c
	}
	return u.current
}
