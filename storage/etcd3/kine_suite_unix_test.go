//go:build unix

package etcd3_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/etcd3"
	"github.com/typeplane/typeplane/storage/storagetest"
)

// overKine is the URL of a kine, for the process in which the suite runs over it.
const overKine = "OVER_KINE"

// kineFails is what of the suite fails over kine, one test in a line.
const kineFails = "testdata/kine_fails.txt"

var updateKine = flag.Bool("update-kine", false, "write "+kineFails)

// TestKineSuite runs the suite of stores over kine, past the refusal, and compares what fails with
// the list in testdata. A test that passes now is as much news as one that fails now.
func TestKineSuite(t *testing.T) {
	suite := exec.Command(os.Args[0], "-test.run", "^TestOverKine$", "-test.v", "-test.timeout", "30m")
	suite.Env = append(os.Environ(), overKine+"="+startKine(t))
	out, _ := suite.CombinedOutput() // it fails, as it has to
	if !strings.Contains(string(out), "\n--- FAIL: TestOverKine") {
		t.Fatalf("the suite has no verdict:\n%s", out)
	}
	failed, passed := leaves(string(out), "FAIL"), leaves(string(out), "PASS")
	t.Logf("%d tests of the suite pass, %d fail", len(passed), len(failed))
	said := strings.Join(failed, "\n") + "\n"
	if *updateKine {
		if err := os.WriteFile(kineFails, []byte(said), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	listed, err := os.ReadFile(kineFails)
	if err != nil {
		t.Fatal(err)
	}
	if said != string(listed) {
		t.Errorf("these fail:\n%s%s says:\n%s\nThe suite says:\n%s", said, kineFails, listed, out)
	}
}

var verdict = regexp.MustCompile(`(?m)^ {8}--- (PASS|FAIL): TestOverKine/(\S+)`)

// leaves are the single tests with a verdict, in the order of their names.
func leaves(out, wanted string) []string {
	var names []string
	for _, m := range verdict.FindAllStringSubmatch(out, -1) {
		if m[1] == wanted {
			names = append(names, m[2])
		}
	}
	slices.Sort(names)
	return names
}

// TestOverKine is the suite over the kine that TestKineSuite has started.
func TestOverKine(t *testing.T) {
	url := os.Getenv(overKine)
	if url == "" {
		t.Skip("TestKineSuite runs it")
	}
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{url}})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	storagetest.Run(t, func(t *testing.T) storagetest.Backend { return kineBackend(t, client) })
}

// kineBackend is a fresh root of kine. It takes no write outside a transaction, so what is put past
// the store depends on the revision that was there.
func kineBackend(t *testing.T, client *etcd3.Client) storagetest.Backend {
	root, ctx := freshRoot(), context.Background()
	get := func(key string) ([]byte, int64) {
		resp, err := client.Get(ctx, root+key)
		if err != nil {
			t.Errorf("get %s: %v", key, err)
			return nil, 0
		}
		if len(resp.Kvs) == 0 {
			return nil, 0
		}
		return resp.Kvs[0].Value, resp.Kvs[0].ModRevision
	}
	return storagetest.Backend{
		Open: func(form storage.Form) storage.Interface {
			return etcd3.New(client, etcd3.Config{Root: root, Form: form})
		},
		Get: get,
		Put: func(key string, raw []byte) int64 {
			_, there := get(key)
			resp, err := client.Txn(ctx).If(clientv3.Compare(clientv3.ModRevision(root+key), "=", there)).
				Then(clientv3.OpPut(root+key, string(raw))).Else(clientv3.OpGet(root + key)).Commit()
			if err == nil && !resp.Succeeded {
				err = fmt.Errorf("it was at revision %d, and is not any more", there)
			}
			if err != nil {
				t.Errorf("put %s: %v", key, err)
				return 0
			}
			return resp.Header.Revision
		},
		Compact: func(revision int64) {
			if _, err := client.Compact(ctx, revision); err != nil {
				t.Fatal(err)
			}
		},
		ProgressWithin: 10 * time.Second,
	}
}
