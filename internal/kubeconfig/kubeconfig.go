// Package kubeconfig writes kubeconfig files, which kubectl and client-go read: one server, and one
// user with a client certificate. Package delegated reads them.
package kubeconfig

import (
	"os"

	"sigs.k8s.io/yaml"
)

// Config is what a file says.
type Config struct {
	// Name is that of the server, and of the context. User is the user's name at it.
	Name, User string
	Server     string
	// ServerName is the name in the server's certificate; "" is that in Server.
	ServerName string
	// CA signs the server's certificate. Cert and Key are the user's. All are PEM.
	CA, Cert, Key []byte
	// Namespace is that of the context; "" is none.
	Namespace string
}

// File is the form of a file.
type File struct {
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
		Server        string `json:"server"`
		TLSServerName string `json:"tls-server-name,omitempty"`
		CAData        []byte `json:"certificate-authority-data"`
	} `json:"cluster"`
}

type namedContext struct {
	Name    string `json:"name"`
	Context struct {
		Cluster   string `json:"cluster"`
		User      string `json:"user"`
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

// Marshal returns the file.
func (c Config) Marshal() ([]byte, error) {
	cluster := namedCluster{Name: c.Name}
	cluster.Cluster.Server, cluster.Cluster.CAData, cluster.Cluster.TLSServerName = c.Server, c.CA, c.ServerName
	user := namedUser{Name: c.Name + "-" + c.User}
	user.User.CertData, user.User.KeyData = c.Cert, c.Key
	context := namedContext{Name: c.Name}
	context.Context.Cluster, context.Context.User, context.Context.Namespace = c.Name, user.Name, c.Namespace
	return yaml.Marshal(File{
		APIVersion: "v1", Kind: "Config", CurrentContext: c.Name,
		Clusters: []namedCluster{cluster}, Contexts: []namedContext{context}, Users: []namedUser{user},
	})
}

// Namespace is what kubectl config set-context --namespace has put into a context of a file; "" if
// there is none, or no such file.
func Namespace(name, context string) string {
	var before File
	data, err := os.ReadFile(name)
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
