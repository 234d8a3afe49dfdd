package serve

import (
	"fmt"
	"net"
	"os"
	"strings"

	"sigs.k8s.io/yaml"
)

// adminUser acts without limit: its group is the one that authorization lets do everything.
const (
	adminUser  = "admin"
	adminGroup = "system:masters"
)

// kubeconfig is what kubectl and client-go read, as far as it is needed here: one server, one user.
type kubeconfig struct {
	APIVersion     string         `json:"apiVersion"`
	Kind           string         `json:"kind"`
	CurrentContext string         `json:"current-context"`
	Clusters       []namedCluster `json:"clusters"`
	Contexts       []namedContext `json:"contexts"`
	Users          []namedUser    `json:"users"`
}

type namedCluster struct {
	Name    string `json:"name"`
	Cluster struct {
		Server string `json:"server"`
		// TLSServerName is the name in the server's certificate; "" is that in Server.
		TLSServerName string `json:"tls-server-name,omitempty"`
		CAData        []byte `json:"certificate-authority-data"`
	} `json:"cluster"`
}

type namedContext struct {
	Name    string `json:"name"`
	Context struct {
		Cluster string `json:"cluster"`
		User    string `json:"user"`
		// Namespace is what kubectl config set-context --namespace has put there.
		Namespace string `json:"namespace,omitempty"`
	} `json:"context"`
}

type namedUser struct {
	Name string `json:"name"`
	User struct {
		CertData []byte `json:"client-certificate-data"`
		KeyData  []byte `json:"client-key-data"`
	} `json:"user"`
}

// writeAdminKubeconfig writes a kubeconfig to file with a new certificate for the admin; the
// context has the server's name. Of a file that is there already the context's namespace stays:
// people set it, and servers are restarted.
func writeAdminKubeconfig(file, name, url, serverName string, a *authority) error {
	certPEM, keyPEM, err := a.issueClient(adminUser, adminGroup)
	if err != nil {
		return fmt.Errorf("admin certificate: %w", err)
	}
	cluster := namedCluster{Name: name}
	cluster.Cluster.Server, cluster.Cluster.CAData = url, a.certPEM
	cluster.Cluster.TLSServerName = serverName
	context := namedContext{Name: name}
	context.Context.Cluster, context.Context.User = name, name+"-"+adminUser
	context.Context.Namespace = namespaceIn(file, name)
	user := namedUser{Name: name + "-" + adminUser}
	user.User.CertData, user.User.KeyData = certPEM, keyPEM

	data, err := yaml.Marshal(kubeconfig{
		APIVersion: "v1", Kind: "Config", CurrentContext: name,
		Clusters: []namedCluster{cluster}, Contexts: []namedContext{context}, Users: []namedUser{user},
	})
	if err != nil {
		return err
	}
	return writeFile(file, data)
}

// namespaceIn is the namespace of a context in a kubeconfig; "" if there is none, or no such file.
func namespaceIn(file, context string) string {
	var before kubeconfig
	data, err := os.ReadFile(file)
	if err != nil || yaml.Unmarshal(data, &before) != nil {
		return ""
	}
	for _, c := range before.Contexts {
		if c.Name == context {
			return c.Context.Namespace
		}
	}
	return ""
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
