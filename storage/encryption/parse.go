package encryption

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

const (
	wantAPIVersion = "apiserver.config.k8s.io/v1"
	wantKind       = "EncryptionConfiguration"
	// defaultTimeout is for calls of a KMS plug-in, as in Kubernetes.
	defaultTimeout = 3 * time.Second
)

// keySizes are the lengths that keys may have, in bytes.
var keySizes = map[string][]int{
	aesgcmProvider:    {16, 24, 32},
	aescbcProvider:    {16, 24, 32},
	secretboxProvider: {32},
}

var providers = []string{identityProvider, aesgcmProvider, aescbcProvider, secretboxProvider, kmsProvider}

// Parse reads a configuration, in YAML or JSON. The error joins every mistake, each with the line
// and the field that it is at; name is the file's. served are the resources that may be named, nil
// to allow any. No error holds a key.
func Parse(name string, data []byte, served []Resource) (*Config, error) {
	p := &parser{file: name, served: served, plugins: map[string]bool{}}
	root := p.document(data)
	if len(p.errs) > 0 {
		return nil, errors.Join(p.errs...)
	}
	config := p.config(root)
	if len(p.errs) > 0 {
		return nil, errors.Join(p.errs...)
	}
	return config, nil
}

// parser walks the file and notes what is wrong.
type parser struct {
	nodes
	file    string
	served  []Resource
	plugins map[string]bool // names of the KMS plug-ins so far
	ruled   []ruled         // the resources of the rules so far
}

// document returns the root of the one document in data.
func (p *parser) document(data []byte) *yaml.Node {
	p.nodes.file = p.file
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var doc, more yaml.Node
	if err := decoder.Decode(&doc); errors.Is(err, io.EOF) || err == nil && len(doc.Content) == 0 {
		p.errs = append(p.errs, fmt.Errorf("%s: the file is empty, want a %s", p.file, wantKind))
		return nil
	} else if err != nil {
		p.errs = append(p.errs, fmt.Errorf("%s: %s", p.file, strings.TrimPrefix(err.Error(), "yaml: ")))
		return nil
	}
	if err := decoder.Decode(&more); !errors.Is(err, io.EOF) {
		p.errs = append(p.errs, fmt.Errorf("%s: more than one document, want one", p.file))
	}
	return doc.Content[0]
}

func (p *parser) config(root *yaml.Node) *Config {
	fields := p.fields(root, "", "apiVersion", "kind", "resources")
	if fields == nil {
		return nil
	}
	p.is(root, fields, "apiVersion", wantAPIVersion)
	p.is(root, fields, "kind", wantKind)
	c := &Config{}
	for i, item := range p.items(root, fields, "", "resources") {
		c.Rules = append(c.Rules, p.rule(item, fmt.Sprintf("resources[%d]", i)))
	}
	return c
}

// is notes a mistake unless the field is there and says want.
func (p *parser) is(parent *yaml.Node, fields map[string]*yaml.Node, name, want string) {
	if s, ok := p.required(parent, fields, "", name); ok && s != want {
		p.bad(fields[name], name, "%q, want %s", s, want)
	}
}

func (p *parser) rule(node *yaml.Node, path string) Rule {
	fields := p.fields(node, path, "resources", "providers")
	if fields == nil {
		return Rule{}
	}
	var r Rule
	for i, item := range p.items(node, fields, path, "resources") {
		at := fmt.Sprintf("%s.resources[%d]", path, i)
		if s, ok := p.text(item, at); ok {
			r.Resources = append(r.Resources, p.resource(item, at, path, s))
		}
	}
	for i, item := range p.items(node, fields, path, "providers") {
		r.Providers = append(r.Providers, p.provider(item, fmt.Sprintf("%s.providers[%d]", path, i)))
	}
	return r
}

func (p *parser) provider(node *yaml.Node, path string) Provider {
	fields := p.fields(node, path, providers...)
	if fields == nil || len(fields) == 0 && len(follow(node).Content) > 0 {
		return Provider{}
	}
	if len(fields) != 1 {
		p.bad(node, path, "%d providers in one item of the list, want one: %s", len(fields), strings.Join(providers, ", "))
		return Provider{}
	}
	for name, value := range fields {
		path += "." + name
		switch name {
		case identityProvider:
			if p.fields(value, path) == nil {
				return Provider{}
			}
			return Provider{Type: name}
		case kmsProvider:
			return Provider{Type: name, KMS: p.kms(value, path)}
		}
		return Provider{Type: name, Keys: p.keys(value, path, keySizes[name])}
	}
	return Provider{}
}

func (p *parser) keys(node *yaml.Node, path string, sizes []int) []Key {
	fields := p.fields(node, path, "keys")
	if fields == nil {
		return nil
	}
	var keys []Key
	for i, item := range p.items(node, fields, path, "keys") {
		at := fmt.Sprintf("%s.keys[%d]", path, i)
		key := p.key(item, at, sizes)
		if key.Name != "" && slices.ContainsFunc(keys, func(k Key) bool { return k.Name == key.Name }) {
			p.bad(item, at+".name", "%q is the name of two keys of this provider", key.Name)
		}
		keys = append(keys, key)
	}
	return keys
}

func (p *parser) key(node *yaml.Node, path string, sizes []int) Key {
	fields := p.fields(node, path, "name", "secret")
	if fields == nil {
		return Key{}
	}
	name, _ := p.required(node, fields, path, "name")
	encoded, ok := p.required(node, fields, path, "secret")
	if !ok {
		return Key{Name: name}
	}
	secret, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		p.bad(fields["secret"], path+".secret", "not base64; make a key with: head -c 32 /dev/urandom | base64")
	} else if !slices.Contains(sizes, len(secret)) {
		p.bad(fields["secret"], path+".secret", "a key of %d bytes, want %s", len(secret), oneOf(sizes))
	}
	return Key{Name: name, Secret: secret}
}

func oneOf(sizes []int) string {
	s := strings.Trim(strings.ReplaceAll(fmt.Sprint(sizes), " ", ", "), "[]")
	if i := strings.LastIndex(s, ", "); i >= 0 {
		s = s[:i] + " or " + s[i+2:]
	}
	return s
}

func (p *parser) kms(node *yaml.Node, path string) KMS {
	fields := p.fields(node, path, "apiVersion", "name", "endpoint", "timeout", "cachesize")
	if fields == nil {
		return KMS{}
	}
	version := "v1" // what Kubernetes takes it for when it is left out
	if fields["apiVersion"] != nil {
		version, _ = p.text(fields["apiVersion"], path+".apiVersion")
	}
	switch version {
	case "v2", "":
	case "v1":
		p.bad(nearest(fields["apiVersion"], node), path+".apiVersion",
			"v1 (also meant when it is left out) asks the plug-in for every single object, and is off in Kubernetes since 1.29; use a plug-in that speaks v2, and write apiVersion: v2")
	default:
		p.bad(fields["apiVersion"], path+".apiVersion", "%q, want v2", version)
	}
	if fields["cachesize"] != nil && version != "v1" {
		p.bad(fields["cachesize"], path+".cachesize", "is of v1; leave it out")
	}
	k := KMS{Timeout: defaultTimeout}
	k.Name = p.pluginName(node, fields, path)
	if s, ok := p.required(node, fields, path, "endpoint"); ok {
		k.Endpoint = s
		if _, err := socketOf(s); err != nil {
			p.bad(fields["endpoint"], path+".endpoint", "%v", err)
		}
	}
	if fields["timeout"] != nil {
		s, ok := p.text(fields["timeout"], path+".timeout")
		d, err := time.ParseDuration(s)
		if ok && (err != nil || d <= 0) {
			p.bad(fields["timeout"], path+".timeout", "%q, want a time above zero, like 3s", s)
		}
		k.Timeout = d
	}
	return k
}

func (p *parser) pluginName(node *yaml.Node, fields map[string]*yaml.Node, path string) string {
	name, ok := p.required(node, fields, path, "name")
	switch {
	case !ok:
	case strings.Contains(name, ":"):
		p.bad(fields["name"], path+".name", "%q: may not hold a colon, for it ends the name in stored values", name)
	case p.plugins[name]:
		p.bad(fields["name"], path+".name", "%q is the name of two plug-ins; resources that share one go into one item of resources", name)
	}
	p.plugins[name] = true
	return name
}

// socketOf returns the path of an endpoint's socket; one that begins with @ is abstract.
func socketOf(endpoint string) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "unix" || u.Path == "" || u.Host != "" {
		return "", fmt.Errorf("%q, want a unix socket: unix:///path/of/plugin.sock", endpoint)
	}
	if strings.HasPrefix(u.Path, "/@") {
		return u.Path[1:], nil
	}
	return u.Path, nil
}
