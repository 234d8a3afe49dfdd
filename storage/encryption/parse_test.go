package encryption

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const (
	apiVersion = "apiVersion: apiserver.config.k8s.io/v1\n"
	kind       = "kind: EncryptionConfiguration\n"
	key32      = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
)

func TestParse(t *testing.T) {
	got, err := Parse("f", []byte(apiVersion+kind+`
resources:
- resources: [events]
  providers: [{identity: {}}]
- resources: [secrets, pandas.awesome.bears.example]
  providers:
  - aesgcm: {keys: [{name: key1, secret: c2VjcmV0IGlzIHNlY3VyZQ==}, {name: key2, secret: dGhpcyBpcyBwYXNzd29yZA==}]}
  - aescbc: &same {keys: [{name: key1, secret: `+key32+`}]}
  - secretbox: *same
  - kms: {apiVersion: v2, name: plug, endpoint: "unix:///run/kms.sock", timeout: 500ms}
  - kms: {apiVersion: v2, name: plug2, endpoint: "unix:///@kms"}
  - identity: {}
- resources: ['*.apps']
  providers: [{identity: {}}]
- resources: ['*.']
  providers: [{identity: {}}]
- resources: ['*.*']
  providers: [{identity: {}}]
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	identity := []Provider{{Type: "identity"}}
	cbc := []Key{{"key1", []byte("01234567890123456789012345678901")}}
	want := &Config{Rules: []Rule{
		{[]Resource{{"", "events"}}, identity},
		{[]Resource{{"", "secrets"}, {"awesome.bears.example", "pandas"}}, []Provider{
			{Type: "aesgcm", Keys: []Key{{"key1", []byte("secret is secure")}, {"key2", []byte("this is password")}}},
			{Type: "aescbc", Keys: cbc},
			{Type: "secretbox", Keys: cbc},
			{Type: "kms", KMS: KMS{"plug", "unix:///run/kms.sock", 500 * time.Millisecond}},
			{Type: "kms", KMS: KMS{"plug2", "unix:///@kms", 3 * time.Second}},
			{Type: "identity"},
		}},
		{[]Resource{{"apps", "*"}}, identity},
		{[]Resource{{"", "*"}}, identity},
		{[]Resource{{"*", "*"}}, identity},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if _, err := Parse("f", []byte(`{"kind":"EncryptionConfiguration","apiVersion":"apiserver.config.k8s.io/v1","resources":[{"resources":["*.*"],"providers":[{"identity":{}}]}]}`), nil); err != nil {
		t.Errorf("JSON: %v", err)
	}
}

// providersIn is a file of one rule for secrets, whose providers are on line 5.
func providersIn(list string) string {
	return apiVersion + kind + "resources:\n- resources: [secrets]\n  providers: [" + list + "]\n"
}

// resourcesIn is a file of rules for these lists, whose resources are on lines 4, 6, 8 …
func resourcesIn(lists ...string) string {
	s := apiVersion + kind + "resources:\n"
	for _, list := range lists {
		s += "- resources: [" + list + "]\n  providers: [{identity: {}}]\n"
	}
	return s
}

func TestParseRefuses(t *testing.T) {
	const aKey = "{name: a, secret: " + key32 + "}"
	p := "resources[0].providers[0]"
	for _, tc := range []struct{ name, file, want string }{
		{"nothing", "", "f: the file is empty"},
		{"comment", "# x\n", "f: the file is empty"},
		{"two documents", resourcesIn("secrets") + "---\na: b\n", "f: more than one document"},
		{"not YAML", "a: [", "f: line 1"},
		{"a list", "[]", "f:1: the document: want a mapping"},
		{"no apiVersion", kind + "resources: []", "f:1: apiVersion: missing"},
		{"other apiVersion", "apiVersion: v1\n" + kind, `f:1: apiVersion: "v1", want apiserver.config.k8s.io/v1`},
		{"other kind", apiVersion + "kind: Config\n", `f:2: kind: "Config", want EncryptionConfiguration`},
		{"no resources", apiVersion + kind, "f:1: resources: missing; want a list of at least one item"},
		{"empty resources", apiVersion + kind + "resources: []", "f:3: resources: want a list of at least one item"},
		{"typing mistake", apiVersion + kind + "resource:\n- a", `f:3: the document: unknown field "resource"; did you mean resources?`},
		{"field twice", apiVersion + apiVersion, "f:2: the document: apiVersion is there twice"},
		{"empty list of resources", resourcesIn(""), "f:4: resources[0].resources: want a list of at least one item"},
		{"empty resource", resourcesIn("''"), "f:4: resources[0].resources[0]: is empty"},
		{"number", resourcesIn("1"), "f:4: resources[0].resources[0]: want a string"},
		{"null", resourcesIn("null"), "f:4: resources[0].resources[0]: want a string"},
		{"capital letters", resourcesIn("Secrets"), `did you mean "secrets"?`},
		{"star", resourcesIn("'*'"), `"*." is all of the core group`},
		{"any group", resourcesIn("'secrets.*'"), `"secrets.*": want a resource like secrets`},
		{"no name", resourcesIn("'.apps'"), `".apps": want a resource like secrets`},
		{"not served", resourcesIn("secrets", "secretes"), `f:6: resources[1].resources[0]: this server stores no secretes; did you mean secrets?`},
		{"nothing like it", resourcesIn("'*.batch'"), "this server stores no *.batch; it has secrets, pods, deployments.apps"},
		{"same", resourcesIn("secrets, pods, secrets"), `f:4: resources[0].resources[2]: "secrets" is the same as "secrets" of line 4 in the same list`},
		{"overlap", resourcesIn("secrets, '*.'"), `f:4: resources[0].resources[1]: "*." overlaps with "secrets" of line 4`},
		{"overlap with all", resourcesIn("'*.*', deployments.apps"), `"deployments.apps" overlaps with "*.*"`},
		{"masked", resourcesIn("'*.'", "secrets"), `f:6: resources[1].resources[0]: "secrets" has no effect behind "*." of line 4: move it to an earlier item`},
		{"masked by all", resourcesIn("'*.*'", "'*.apps'"), `"*.apps" has no effect behind "*.*" of line 4`},
		{"masked by the same", resourcesIn("'*.apps'", "'*.apps'"), `"*.apps" has no effect behind "*.apps" of line 4`},
		{"no providers", providersIn(""), "f:5: resources[0].providers: want a list of at least one item"},
		{"unknown provider", providersIn("{aescgm: {keys: [" + aKey + "]}}"), `f:5: ` + p + `: unknown field "aescgm"; did you mean aesgcm?`},
		{"no provider", providersIn("{}"), "f:5: " + p + ": 0 providers in one item of the list, want one: identity, aesgcm"},
		{"two providers", providersIn("{identity: {}, aesgcm: {keys: [" + aKey + "]}}"), "2 providers in one item of the list, want one"},
		{"identity without braces", providersIn("{identity: }"), "f:5: " + p + ".identity: want {}"},
		{"identity with something", providersIn("{identity: {keys: []}}"), `unknown field "keys"`},
		{"no keys", providersIn("{aesgcm: {keys: []}}"), "f:5: " + p + ".aesgcm.keys: want a list of at least one item"},
		{"keys missing", providersIn("{aesgcm: {}}"), "f:5: " + p + ".aesgcm.keys: missing"},
		{"no name of a key", providersIn("{aesgcm: {keys: [{secret: " + key32 + "}]}}"), p + ".aesgcm.keys[0].name: missing"},
		{"empty name of a key", providersIn("{aesgcm: {keys: [{name: '', secret: " + key32 + "}]}}"), p + ".aesgcm.keys[0].name: is empty"},
		{"no secret", providersIn("{aesgcm: {keys: [{name: a}]}}"), p + ".aesgcm.keys[0].secret: missing"},
		{"not base64", providersIn("{aesgcm: {keys: [{name: a, secret: '%%%'}]}}"), p + ".aesgcm.keys[0].secret: not base64"},
		{"size of an AES key", providersIn("{aescbc: {keys: [{name: a, secret: AAAA}]}}"), p + ".aescbc.keys[0].secret: a key of 3 bytes, want 16, 24 or 32"},
		{"size of a secretbox key", providersIn("{secretbox: {keys: [{name: a, secret: c2VjcmV0IGlzIHNlY3VyZQ==}]}}"), "a key of 16 bytes, want 32"},
		{"names twice", providersIn("{aesgcm: {keys: [" + aKey + "," + aKey + "]}}"), p + `.aesgcm.keys[1].name: "a" is the name of two keys of this provider`},
		{"KMS v1", providersIn("{kms: {apiVersion: v1, name: a, endpoint: 'unix:///a', cachesize: 10}}"), "f:5: " + p + ".kms.apiVersion: v1 (also meant when it is left out) asks the plug-in for every single object, and is off in Kubernetes since 1.29"},
		{"KMS without version", providersIn("{kms: {name: a, endpoint: 'unix:///a'}}"), p + ".kms.apiVersion: v1 (also meant"},
		{"KMS v3", providersIn("{kms: {apiVersion: v3, name: a, endpoint: 'unix:///a'}}"), p + `.kms.apiVersion: "v3", want v2`},
		{"KMS cache size", providersIn("{kms: {apiVersion: v2, name: a, endpoint: 'unix:///a', cachesize: 10}}"), p + ".kms.cachesize: is of v1; leave it out"},
		{"KMS without a name", providersIn("{kms: {apiVersion: v2, endpoint: 'unix:///a'}}"), p + ".kms.name: missing"},
		{"KMS name with a colon", providersIn("{kms: {apiVersion: v2, name: 'a:b', endpoint: 'unix:///a'}}"), p + `.kms.name: "a:b": may not hold a colon`},
		{"KMS names twice", providersIn("{kms: {apiVersion: v2, name: a, endpoint: 'unix:///a'}}, {kms: {apiVersion: v2, name: a, endpoint: 'unix:///b'}}"), `providers[1].kms.name: "a" is the name of two plug-ins`},
		{"KMS endpoint missing", providersIn("{kms: {apiVersion: v2, name: a}}"), p + ".kms.endpoint: missing"},
		{"KMS over TCP", providersIn("{kms: {apiVersion: v2, name: a, endpoint: 'tcp://127.0.0.1:1'}}"), p + `.kms.endpoint: "tcp://127.0.0.1:1", want a unix socket`},
		{"KMS relative socket", providersIn("{kms: {apiVersion: v2, name: a, endpoint: 'unix://run/a'}}"), "want a unix socket: unix:///path"},
		{"KMS timeout", providersIn("{kms: {apiVersion: v2, name: a, endpoint: 'unix:///a', timeout: '3'}}"), p + `.kms.timeout: "3", want a time above zero, like 3s`},
		{"KMS no time", providersIn("{kms: {apiVersion: v2, name: a, endpoint: 'unix:///a', timeout: 0s}}"), `"0s", want a time above zero`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			served := []Resource{{"", "secrets"}, {"", "pods"}, {"apps", "deployments"}}
			config, err := Parse("f", []byte(tc.file), served)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got  %v\nwant %s", err, tc.want)
			}
			if config != nil {
				t.Errorf("%+v beside an error", config)
			}
		})
	}
}

// Who mends a file wants to know all that is wrong with it.
func TestParseSaysEverything(t *testing.T) {
	_, err := Parse("f", []byte(apiVersion+`resources:
- resources: [Secrets]
  provider: []
  providers:
  - aesgcm: {keys: [{name: a, secret: AAAA}]}
  - rot13: {}
  - {}
`), nil)
	want := `f:1: kind: missing
f:4: resources[0]: unknown field "provider"; did you mean providers?
f:3: resources[0].resources[0]: "Secrets": names of resources have no capital letters; did you mean "secrets"?
f:6: resources[0].providers[0].aesgcm.keys[0].secret: a key of 3 bytes, want 16, 24 or 32
f:7: resources[0].providers[1]: unknown field "rot13"
f:8: resources[0].providers[2]: 0 providers in one item of the list, want one: identity, aesgcm, aescbc, secretbox, kms`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(resourcesIn("secrets", "'*.apps'", "'*.*'")))
	f.Add([]byte(providersIn("{aesgcm: &x {keys: [{name: a, secret: " + key32 + "}]}}, {aescbc: *x}, {kms: {apiVersion: v2, name: a, endpoint: 'unix:///a', timeout: 1s}}")))
	f.Add([]byte("&a [*a]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		config, err := Parse("f", data, nil)
		if err != nil {
			return
		}
		for _, rule := range config.Rules {
			if len(rule.Providers) == 0 || len(rule.Resources) == 0 {
				t.Fatalf("%+v", config)
			}
			if _, err := slots(rule.Providers, func(KMS) *plugin { return nil }); err != nil {
				t.Fatal(err)
			}
		}
	})
}
