package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// users are whom the programs are for the server, by the names of the programs. Roles say what they
// may do: the server has those of Kubernetes' own, and KWOK brings one.
var users = map[string]string{
	"kube-controller-manager": "system:kube-controller-manager",
	"kube-scheduler":          "system:kube-scheduler",
	"kwok":                    "kwok-controller",
}

// tokens is the file of tokens that the server is started with.
func (c *cluster) tokens() string { return filepath.Join(c.dir, "tokens.csv") }

// writeTokens makes a token for each user.
func (c *cluster) writeTokens() error {
	var b strings.Builder
	for program, user := range users {
		fmt.Fprintf(&b, "%s,%s,%s\n", c.token(program), user, user)
	}
	return os.WriteFile(c.tokens(), []byte(b.String()), 0o600)
}

// secret is of this run.
var secret = rand.Text()

func (c *cluster) token(program string) string {
	sum := sha256.Sum256([]byte(secret + program))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// introduce gives the programs what they need before they start: KWOK its role, and an address.
func (c *cluster) introduce(ctx context.Context) error {
	for _, args := range []string{
		"create -f " + filepath.Join(c.bin, "kwok-role.yaml"),
		"create clusterrolebinding kwok-controller --clusterrole=kwok-controller --user=" + users["kwok"],
	} {
		if _, err := c.kubectl(ctx, "", args); err != nil {
			return err
		}
	}
	var err error
	c.kubelets, err = c.openKubelets()
	return err
}

// kubeconfig is the file by which a program knows the server, and is known.
func (c *cluster) kubeconfig(ctx context.Context, program string) (string, error) {
	if !c.apart {
		return c.server.Kubeconfig, nil
	}
	name := filepath.Join(c.dir, program+".kubeconfig")
	admin, err := os.ReadFile(c.server.Kubeconfig)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(name, admin, 0o600); err != nil {
		return "", err
	}
	for _, args := range []string{
		"config set-credentials program --token=" + c.token(program),
		"config set-context --current --user=program",
	} {
		if _, err := c.kubectl(ctx, "", "--kubeconfig="+name+" "+args); err != nil {
			return "", err
		}
	}
	return name, nil
}
