package delegated

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

// Config says how another server is reached, and by which credential it knows us. Files are read
// again when they have changed: those of a service account are written anew every hour.
type Config struct {
	// Server is the URL of the API, or of the webhook itself. It is https, unless it is on this
	// machine.
	Server string
	// CA signs the server's certificate, in PEM; CAFile has the same in a file. Without both it is
	// the system's authorities.
	CA     []byte
	CAFile string
	// ServerName is the name in the certificate, if it is not the host of Server.
	ServerName string
	// Insecure believes any certificate.
	Insecure bool

	// The credentials: a client certificate and its key, in PEM or in files, and a bearer token or
	// the file that has it.
	Cert, Key         []byte
	CertFile, KeyFile string
	Token, TokenFile  string
}

// kubeconfig is what kubectl and client-go read, as far as a server can use it.
type kubeconfig struct {
	CurrentContext string `json:"current-context"`
	Clusters       []struct {
		Name    string  `json:"name"`
		Cluster cluster `json:"cluster"`
	} `json:"clusters"`
	Contexts []struct {
		Name    string `json:"name"`
		Context struct {
			Cluster string `json:"cluster"`
			User    string `json:"user"`
		} `json:"context"`
	} `json:"contexts"`
	Users []struct {
		Name string `json:"name"`
		User user   `json:"user"`
	} `json:"users"`
}

type cluster struct {
	Server     string `json:"server"`
	CAFile     string `json:"certificate-authority"`
	CA         []byte `json:"certificate-authority-data"`
	ServerName string `json:"tls-server-name"`
	Insecure   bool   `json:"insecure-skip-tls-verify"`
	ProxyURL   string `json:"proxy-url"`
}

type user struct {
	CertFile  string `json:"client-certificate"`
	Cert      []byte `json:"client-certificate-data"`
	KeyFile   string `json:"client-key"`
	Key       []byte `json:"client-key-data"`
	Token     string `json:"token"`
	TokenFile string `json:"tokenFile"`

	Exec         map[string]any `json:"exec"`
	AuthProvider map[string]any `json:"auth-provider"`
	Username     string         `json:"username"`
}

// ReadKubeconfig reads the current context of a kubeconfig file. Paths in it are relative to its
// folder. What a server can't use, like a program that fetches a credential, is an error.
func ReadKubeconfig(file string) (Config, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return Config{}, err
	}
	c, err := parseKubeconfig(data, filepath.Dir(file))
	if err != nil {
		return Config{}, fmt.Errorf("%s: %w", file, err)
	}
	return c, nil
}

func parseKubeconfig(data []byte, dir string) (Config, error) {
	var k kubeconfig
	if err := yaml.Unmarshal(data, &k); err != nil {
		return Config{}, err
	}
	clusterName, userName, err := k.current()
	if err != nil {
		return Config{}, err
	}
	cl, ok := k.cluster(clusterName)
	if !ok {
		return Config{}, fmt.Errorf("there is no cluster %q", clusterName)
	}
	u, ok := k.user(userName)
	if !ok && userName != "" {
		return Config{}, fmt.Errorf("there is no user %q", userName)
	}
	if err := errors.Join(cl.check(), u.check(userName)); err != nil {
		return Config{}, err
	}
	c := u.config(dir)
	c.Server, c.CA, c.ServerName, c.Insecure = cl.Server, cl.CA, cl.ServerName, cl.Insecure
	if len(c.CA) == 0 {
		c.CAFile = under(dir, cl.CAFile)
	}
	return c, nil
}

// config is what a user's credentials come to. As in client-go, what stands in the kubeconfig
// itself counts before files; of tokens it is the file.
func (u *user) config(dir string) Config {
	c := Config{Cert: u.Cert, Key: u.Key, Token: u.Token, TokenFile: under(dir, u.TokenFile)}
	if len(c.Cert) == 0 {
		c.CertFile = under(dir, u.CertFile)
	}
	if len(c.Key) == 0 {
		c.KeyFile = under(dir, u.KeyFile)
	}
	return c
}

// current finds the names of cluster and user. The files of webhooks often have one of each, and no
// context.
func (k *kubeconfig) current() (cluster, user string, err error) {
	for _, c := range k.Contexts {
		if c.Name == k.CurrentContext {
			return c.Context.Cluster, c.Context.User, nil
		}
	}
	if k.CurrentContext != "" {
		return "", "", fmt.Errorf("current-context: there is no context %q", k.CurrentContext)
	}
	if len(k.Clusters) != 1 || len(k.Users) > 1 {
		return "", "", errors.New("current-context is missing, and there is more than one cluster or user to choose from, or no cluster")
	}
	if len(k.Users) == 1 {
		user = k.Users[0].Name
	}
	return k.Clusters[0].Name, user, nil
}

func (k *kubeconfig) cluster(name string) (cluster, bool) {
	for _, c := range k.Clusters {
		if c.Name == name {
			return c.Cluster, true
		}
	}
	return cluster{}, false
}

func (k *kubeconfig) user(name string) (user, bool) {
	for _, u := range k.Users {
		if u.Name == name {
			return u.User, true
		}
	}
	return user{}, false
}

func (c *cluster) check() error {
	if c.ProxyURL != "" {
		return errors.New("proxy-url is not supported; set HTTPS_PROXY in the environment")
	}
	return checkURL(c.Server)
}

// checkURL refuses to send tokens of users in the clear, but to this machine.
func checkURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return fmt.Errorf("server: %q: want a URL like https://10.0.0.1:6443", text)
	}
	ip := net.ParseIP(u.Hostname())
	if u.Scheme == "http" && u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("server: %s: want https: reviews carry the tokens of users", text)
	}
	return nil
}

func (u *user) check(name string) error {
	switch {
	case u.Exec != nil, u.AuthProvider != nil:
		return fmt.Errorf("user %q: exec and auth-provider are not supported: give a client certificate, a token or a tokenFile", name)
	case u.Username != "":
		return fmt.Errorf("user %q: username and password are not supported: give a client certificate, a token or a tokenFile", name)
	case (u.CertFile == "" && len(u.Cert) == 0) != (u.KeyFile == "" && len(u.Key) == 0):
		return fmt.Errorf("user %q: a client certificate and its key go together", name)
	}
	return nil
}

func under(dir, file string) string {
	if file == "" || filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(dir, file)
}

// ServiceAccountDir is where a pod finds the credential of its service account.
const ServiceAccountDir = "/var/run/secrets/kubernetes.io/serviceaccount"

var errNotInPod = errors.New("this process is in no pod of a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set")

// InCluster is the server of the cluster that this process is a pod of, by the service account
// whose files are in dir.
func InCluster(dir string) (Config, error) {
	host, port := os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT")
	if host == "" || port == "" {
		return Config{}, errNotInPod
	}
	c := Config{
		Server:    "https://" + net.JoinHostPort(host, port),
		CAFile:    filepath.Join(dir, "ca.crt"),
		TokenFile: filepath.Join(dir, "token"),
	}
	token, err := os.ReadFile(c.TokenFile)
	if err != nil {
		return Config{}, err
	}
	if strings.TrimSpace(string(token)) == "" {
		return Config{}, fmt.Errorf("%s is empty", c.TokenFile)
	}
	return c, nil
}
