package tool

import (
	"encoding/base64"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/typeplane/typeplane/internal/program/programtest"
)

func TestInspectKey(t *testing.T) {
	e := programtest.StartEtcd(t, map[string]string{programtest.Prefix + "ns/beta": programtest.BetaJSON})
	for _, key := range []string{programtest.Prefix + "ns/beta", "shop.example.com/widgets/ns/beta", "/shop.example.com/widgets/ns/beta"} {
		want := `# key: /registry/shop.example.com/widgets/ns/beta
# stored as: shop.example.com/v1beta1 Widget, application/json, 125 bytes, not encrypted
# revision: 2, created at 2, write 1 since then
# form: stale
apiVersion: shop.example.com/v1beta1
kind: Widget
metadata:
  name: beta
  namespace: ns
spec:
  colour: red
`
		if diff := cmp.Diff(want, must(t, "inspect", key, "--data-dir", e.Dir)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", key, diff)
		}
	}
	// The same flags as the server has: this one writes what is there.
	if out := must(t, "inspect", programtest.Prefix+"ns/beta", "--data-dir", e.Dir, "--storage-media-type", "application/json", "--storage-versions", "shop.example.com/v1beta1"); !strings.Contains(out, "# form: stale") {
		t.Errorf("a default is missing in what is stored:\n%s", out)
	}
	if out := must(t, "inspect", programtest.Prefix+"ns/beta", "--data-dir", e.Dir, "-o", "raw"); out != programtest.BetaJSON {
		t.Errorf("raw: %q", out)
	}

	// A write, as a server does it, through a lease.
	lease, err := e.Client().Grant(t.Context(), 600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Client().Put(t.Context(), programtest.Prefix+"ns/beta", programtest.Current(t, programtest.BetaJSON), clientv3.WithLease(lease.ID)); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Stored described
		Object map[string]any
	}
	if err := json.Unmarshal([]byte(must(t, "inspect", programtest.Prefix+"ns/beta", "--data-dir", e.Dir, "-o", "json")), &got); err != nil {
		t.Fatal(err)
	}
	want := described{Key: programtest.Prefix + "ns/beta", APIVersion: "shop.example.com/v1", Kind: "Widget", MediaType: "application/vnd.kubernetes.protobuf",
		Size: len(programtest.Current(t, programtest.BetaJSON)), CreateRevision: 2, ModRevision: 3, Version: 2, Lease: got.Stored.Lease, Form: "current"}
	if diff := cmp.Diff(want, got.Stored, cmp.AllowUnexported(described{})); diff != "" || got.Stored.Lease == "" {
		t.Errorf("lease %q (-want +got)\n%s", got.Stored.Lease, diff)
	}
	if spec, _ := got.Object["spec"].(map[string]any); spec["color"] != "red" {
		t.Errorf("object %v", got.Object)
	}

	// The server has stopped: its etcd runs inside the command.
	e.Close()
	out, log, err := do(t, "", "inspect", programtest.Prefix+"ns/beta", "--data-dir", e.Dir)
	if err != nil || !strings.Contains(out, "color: red") || !strings.Contains(log, "no server runs on "+e.Dir) {
		t.Errorf("stopped: %v\n%s%s", err, out, log)
	}
}

func TestInspectPrefix(t *testing.T) {
	e := programtest.StartEtcd(t, nil)
	for _, kv := range [][2]string{
		{programtest.Prefix + "ns/beta", programtest.BetaJSON},
		{programtest.Prefix + "ns/current", programtest.Current(t, programtest.BetaJSON)},
		{programtest.Prefix + "ns/garbage", "what is this?"},
		{programtest.Prefix + "ns/secret", "k8s:enc:aescbc:v1:key7:\x01\x02"},
		{programtest.Prefix + "ns/sealed", "k8s:enc:kms:v2:vault:\x01\x02"},
		{"/registry/other/thing", `{"kind":"Thing","apiVersion":"v9"}`},
		{"/registry/.stored-versions", "format 9, release v1.0.0\n" + `{"widgets":["v1"]}`},
		{"/registry/.gate", "\x01"},
	} {
		e.Put(t, kv[0], kv[1])
	}
	want := `KEY VERSION KIND MEDIA TYPE ENCRYPTED SIZE CREATED MODIFIED FORM
/registry/.gate - - - no 1 9 9 own
/registry/.stored-versions - - - no 43 8 8 own
/registry/other/thing v9 Thing json no 34 7 7 -
/registry/shop.example.com/widgets/ns/beta shop.example.com/v1beta1 Widget json no 125 2 2 stale
/registry/shop.example.com/widgets/ns/current shop.example.com/v1 Widget vnd.kubernetes.protobuf no 78 3 3 current
/registry/shop.example.com/widgets/ns/garbage - - - no 13 4 4 unreadable
/registry/shop.example.com/widgets/ns/sealed - - - kms v2 vault 23 6 6 -
/registry/shop.example.com/widgets/ns/secret - - - aescbc key7 25 5 5 -
`
	for _, arg := range []string{"/", "/registry", "/registry/"} {
		out := regexp.MustCompile(` +`).ReplaceAllString(must(t, "inspect", arg, "--data-dir", e.Dir), " ")
		if diff := cmp.Diff(want, strings.ReplaceAll(out, " \n", "\n")); diff != "" {
			t.Errorf("%s (-want +got)\n%s", arg, diff)
		}
	}
	if out := must(t, "inspect", "shop.example.com/widgets/", "--data-dir", e.Dir, "-o", "json"); strings.Count(out, "\n") != 5 {
		t.Errorf("json:\n%s", out)
	}
	if out := must(t, "inspect", "shop.example.com/widgets/", "--data-dir", e.Dir, "-o", "yaml"); strings.Count(out, "---\n# key: ") != 5 {
		t.Errorf("yaml:\n%s", out)
	}
	for args, want := range map[string]string{"nothing": "holds nothing at /registry/nothing", "/ -o raw": "this is a prefix"} {
		if _, _, err := do(t, "", append([]string{"inspect", "--data-dir", e.Dir}, strings.Fields(args)...)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
	if out := must(t, "inspect", ".stored-versions", "--data-dir", e.Dir); !strings.HasSuffix(out, "# form: own\nwidgets:\n- v1\n") {
		t.Errorf("a note:\n%s", out)
	}
	if out := must(t, "inspect", programtest.Prefix+"ns/secret", "--data-dir", e.Dir); !strings.HasSuffix(out, "# what it says can be shown with --encryption-provider-config\n") {
		t.Errorf("encrypted:\n%s", out)
	}
	out, _, err := do(t, "", "inspect", programtest.Prefix+"ns/garbage", "--data-dir", e.Dir)
	if ExitCode(err) != ExitLeft || !strings.Contains(out, "# problem: it is neither") {
		t.Errorf("exit %d, %v\n%s", ExitCode(err), err, out)
	}
}

func TestInspectDecode(t *testing.T) {
	for name, in := range map[string]string{
		"protobuf":                      programtest.Current(t, programtest.UnknownJSON),
		"protobuf from etcdctl":         programtest.Current(t, programtest.UnknownJSON) + "\n",
		"JSON, with an unknown field":   programtest.UnknownJSON,
		"JSON with a newline behind it": programtest.UnknownJSON + "\n",
		"base64 around protobuf":        base64.StdEncoding.EncodeToString([]byte(programtest.Current(t, programtest.UnknownJSON))),
		"YAML":                          "apiVersion: shop.example.com/v1\nkind: Widget\nmetadata: {name: loose, namespace: ns}\nspec: {color: blue}\n",
	} {
		out, log, err := do(t, in, "inspect", "--decode", "-")
		if err != nil || !strings.Contains(out, "\n  color: blue\n") || strings.Contains(out, "gone: true") != strings.HasPrefix(name, "JSON") {
			t.Errorf("%s: %v\n%s%s", name, err, out, log)
		}
	}
	if out, _, err := do(t, programtest.Current(t, programtest.UnknownJSON)[:20], "inspect", "--decode", "-"); ExitCode(err) != ExitLeft || !strings.Contains(out, "# problem:") {
		t.Errorf("cut short: %v\n%s", err, out)
	}
	if _, _, err := do(t, "", "inspect", "--decode", "/nonexistent"); err == nil {
		t.Error("a file that is not there")
	}
}

// Objects are encrypted by a migration, and by another one with another key. Both are seen in what
// is stored, and what it says is shown to whoever has the key.
func TestInspectEncrypted(t *testing.T) {
	e := programtest.StartEtcd(t, map[string]string{programtest.Prefix + "ns/beta": programtest.BetaJSON})
	inspect := func(args ...string) string {
		t.Helper()
		return must(t, append([]string{"inspect", programtest.Prefix + "ns/beta", "--data-dir", e.Dir}, args...)...)
	}
	one, two := programtest.EncryptionConfig(t, "one"), programtest.EncryptionConfig(t, "two", "one")
	must(t, "migrate", "--data-dir", e.Dir, "--encryption-provider-config", one)
	sealed := inspect("-o", "raw")
	if strings.Contains(sealed, "red") || !strings.Contains(inspect(), "encrypted by aesgcm with the key one\n") {
		t.Errorf("%s%q", inspect(), sealed)
	}
	if out := inspect("--encryption-provider-config", one); !strings.Contains(out, "\n# form: current\n") || !strings.Contains(out, "\n  color: red\n") {
		t.Errorf("with the key:\n%s", out)
	}
	if out := inspect("--encryption-provider-config", two); !strings.Contains(out, "\n# form: stale\n") || !strings.Contains(out, "\n  color: red\n") {
		t.Errorf("with an old key:\n%s", out)
	}

	out, _, err := do(t, sealed, "inspect", "--decode", "-", "--encryption-provider-config", one)
	if ExitCode(err) != ExitLeft || !strings.Contains(err.Error(), "bound to its key: name that, too") {
		t.Errorf("decoded without its key: %v\n%s", err, out)
	}
	out, _, err = do(t, sealed+"\n", "inspect", "shop.example.com/widgets/ns/beta", "--decode", "-", "--encryption-provider-config", one)
	if err != nil || !strings.Contains(out, "\n  color: red\n") || !strings.Contains(out, "# key: "+programtest.Prefix+"ns/beta\n") {
		t.Errorf("decoded with its key: %v\n%s", err, out)
	}
	if out, _, err = do(t, sealed, "inspect", programtest.Prefix+"ns/other", "--decode", "-", "--encryption-provider-config", one); ExitCode(err) != ExitLeft || strings.Contains(out, "color: red") {
		t.Errorf("decoded with another one's key: %v\n%s", err, out)
	}

	must(t, "migrate", "--data-dir", e.Dir, "--encryption-provider-config", two)
	if out := inspect(); !strings.Contains(out, "encrypted by aesgcm with the key two\n") {
		t.Errorf("after another migration:\n%s", out)
	}
}
