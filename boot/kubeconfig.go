package boot

import (
	"fmt"

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
	} `json:"context"`
}

type namedUser struct {
	Name string `json:"name"`
	User struct {
		CertData []byte `json:"client-certificate-data"`
		KeyData  []byte `json:"client-key-data"`
	} `json:"user"`
}

// writeAdminKubeconfig writes a kubeconfig to file with a new certificate for the admin; the context has the
// server's name.
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
