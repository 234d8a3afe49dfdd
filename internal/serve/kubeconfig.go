package serve

import (
	"fmt"
	"net"
	"strings"

	"github.com/typeplane/typeplane/internal/kubeconfig"
)

// adminUser acts without limit: its group is the one that authorization lets do everything.
const (
	adminUser  = "admin"
	adminGroup = "system:masters"
)

// writeAdminKubeconfig writes a kubeconfig to file with a new certificate for the admin; the
// context has the server's name. Of a file that is there already the context's namespace stays:
// people set it, and servers are restarted.
func writeAdminKubeconfig(file, name, url, serverName string, a *authority) error {
	certPEM, keyPEM, err := a.issueClient(adminUser, adminGroup)
	if err != nil {
		return fmt.Errorf("admin certificate: %w", err)
	}
	data, err := kubeconfig.Config{
		Name: name, User: adminUser, Server: url, ServerName: serverName, CA: a.certPEM, Cert: certPEM, Key: keyPEM,
		Namespace: kubeconfig.Namespace(file, name),
	}.Marshal()
	if err != nil {
		return err
	}
	return writeFile(file, data)
}

// clientURL is how a client on this machine reaches a listener.
func clientURL(addr net.Addr) string {
	host, port, err := net.SplitHostPort(addr.String())
	if ip := net.ParseIP(host); err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "https://" + net.JoinHostPort(host, port)
}

// shellQuote makes one word of a path for a shell.
func shellQuote(path string) string {
	if !strings.ContainsAny(path, " \t\n'\"\\$`&|;<>()*?[]#~!{}") {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
