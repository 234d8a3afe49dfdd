package serve

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"time"

	"github.com/typeplane/typeplane/internal/kubeconfig"
	"github.com/typeplane/typeplane/internal/wait"
)

// adminUser acts without limit, since authorization lets its group do everything.
const (
	adminUser  = "admin"
	adminGroup = "system:masters"
)

// writeAdminKubeconfig writes a kubeconfig to file with a new certificate for the admin; the
// context has the server's name. If the file is there already, the namespace of its context stays,
// since people set it, and servers are restarted.
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

// renewal is how often a server looks if the administrator's certificate is to be made anew.
const renewal = time.Hour

// renewKubeconfig has the administrator's kubeconfig written anew, time and again until ctx ends,
// when two thirds of the life of its certificate are over: a server may run for years.
func (d *door) renewKubeconfig(ctx context.Context, name string, log *slog.Logger) {
	written := time.Now()
	for wait.Sleep(ctx, renewal) == nil {
		var err error
		if written, err = d.renewed(name, written, time.Now()); err != nil {
			log.Warn("write the administrator's kubeconfig anew", "file", d.kubeconfig, "error", err)
		}
	}
}

// renewed writes the file that was written at a time, if it is old now. It returns when the file
// was written last.
func (d *door) renewed(name string, written, now time.Time) (time.Time, error) {
	if now.Before(written.Add(leafLifetime * 2 / 3)) {
		return written, nil
	}
	if err := d.access.keep(name, d.listener.Addr()); err != nil {
		return written, err
	}
	return now, nil
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
