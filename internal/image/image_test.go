package image

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// program writes a module with a program that is as small as one can be.
func program(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{
		"go.mod":             "module example.com/shop\n\ngo 1.26.0\n",
		"cmd/hello/main.go":  "package main\n\nfunc main() { println(\"hello\") }\n",
		"lib/lib.go":         "package lib\n",
		"cmd/another/doc.go": "package main\n\nfunc main() {}\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// files are those of an archive by their names, and the names of them in order.
func files(t *testing.T, archive io.Reader) (map[string][]byte, []*tar.Header) {
	t.Helper()
	out, headers := map[string][]byte{}, []*tar.Header(nil)
	for r := tar.NewReader(archive); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out, headers
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out[h.Name], headers = data, append(headers, h)
	}
}

// TestWrite makes an image twice, in different folders, and follows its digests from the index to
// the program, which runs.
func TestWrite(t *testing.T) {
	host := "linux/" + runtime.GOARCH
	var made [2]Made
	var archives [2][]byte
	for i := range made {
		dir := program(t)
		file := filepath.Join(t.TempDir(), "hello.oci.tar")
		var err error
		if made[i], err = Write(t.Context(), Options{Package: "./cmd/hello", Dir: dir, Name: "example.com/shop/hello:v1", Platforms: []string{host}, File: file, SBOM: file + ".spdx.json"}); err != nil {
			t.Fatal(err)
		}
		if archives[i], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(archives[0], archives[1]) || made[0].Digest != made[1].Digest {
		t.Errorf("the same source makes %s and %s", made[0].Digest, made[1].Digest)
	}
	blobs, _ := files(t, bytes.NewReader(archives[0]))
	read := func(d descriptor, into any) []byte {
		t.Helper()
		data := blobs["blobs/sha256/"+strings.TrimPrefix(d.Digest, "sha256:")]
		if digestOf(data) != d.Digest || int64(len(data)) != d.Size {
			t.Fatalf("%s: the archive has %d bytes of %s", d.Digest, len(data), digestOf(data))
		}
		if into != nil {
			if err := json.Unmarshal(data, into); err != nil {
				t.Fatal(err)
			}
		}
		return data
	}
	var top, all index
	if err := json.Unmarshal(blobs["index.json"], &top); err != nil || len(top.Manifests) != 1 {
		t.Fatalf("%v in %s", err, blobs["index.json"])
	}
	if d := top.Manifests[0]; d.Digest != made[0].Digest || d.Annotations["org.opencontainers.image.ref.name"] != "example.com/shop/hello:v1" {
		t.Errorf("%+v", d)
	}
	read(top.Manifests[0], &all)
	var m manifest
	var c config
	read(all.Manifests[0], &m)
	read(m.Config, &c)
	if c.Config.User != "65532:65532" || strings.Join(c.Config.Entrypoint, " ") != "/hello" || c.Config.WorkingDir != "/data" || c.OS+"/"+c.Architecture != host {
		t.Errorf("%+v", c)
	}
	var listed []string
	contents := map[string][]byte{}
	for i, d := range m.Layers {
		z, err := gzip.NewReader(bytes.NewReader(read(d, nil)))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := io.ReadAll(z)
		if err != nil || digestOf(plain) != c.RootFS.DiffIDs[i] {
			t.Fatalf("%v: layer %d is %s, and the configuration says %s", err, i, digestOf(plain), c.RootFS.DiffIDs[i])
		}
		found, headers := files(t, bytes.NewReader(plain))
		for _, h := range headers {
			listed = append(listed, fmt.Sprintf("%s %o %d", h.Name, h.Mode, h.Uid))
			contents[h.Name] = found[h.Name]
		}
	}
	want := "data/ 700 65532, etc/ 755 0, etc/group 644 0, etc/passwd 644 0, etc/ssl/ 755 0, etc/ssl/certs/ 755 0, etc/ssl/certs/ca-certificates.crt 644 0, tmp/ 1777 0, hello 755 0, hello.spdx.json 644 0"
	if got := strings.Join(listed, ", "); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if n := bytes.Count(contents["etc/ssl/certs/ca-certificates.crt"], []byte("BEGIN CERTIFICATE")); n < 50 {
		t.Errorf("%d authorities", n)
	}
	checkSBOM(t, contents)
	if runtime.GOOS != "linux" {
		return
	}
	file := filepath.Join(t.TempDir(), "hello")
	if err := os.WriteFile(file, contents["hello"], 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(file).CombinedOutput(); err != nil || string(out) != "hello\n" {
		t.Errorf("%q, %v", out, err)
	}
}

// checkSBOM: it is of this program, and has the standard library, of which vulnerabilities are
// known most often.
func checkSBOM(t *testing.T, contents map[string][]byte) {
	t.Helper()
	var d spdxDocument
	if err := json.Unmarshal(contents["hello.spdx.json"], &d); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(contents["hello"])
	if len(d.Packages) != 2 || d.Packages[0].Checksums[0].Value != hex.EncodeToString(sum[:]) {
		t.Fatalf("%+v", d.Packages)
	}
	if got, want := d.Packages[1].References[0].Locator, "pkg:golang/stdlib@"+strings.TrimPrefix(runtime.Version(), "go"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if len(d.Relationships) != 2 {
		t.Errorf("%+v", d.Relationships)
	}
}

func TestRefused(t *testing.T) {
	dir := program(t)
	for _, test := range []struct{ pkg, platform, want string }{
		{"./lib", "linux/amd64", "name that of a program"},
		{"./cmd/...", "linux/amd64", "are 2 packages"},
		{"./none", "linux/amd64", "go list"},
		{"./cmd/hello", "windows/amd64", "want one of Linux"},
		{"./cmd/hello", "linux", "want one of Linux"},
		{"./cmd/hello", "linux/none", "go build"},
	} {
		file := filepath.Join(t.TempDir(), "image")
		_, err := Write(t.Context(), Options{Package: test.pkg, Dir: dir, Platforms: []string{test.platform}, File: file})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s for %s: %v, want %s", test.pkg, test.platform, err, test.want)
		}
		if _, err := os.Stat(file); err == nil {
			t.Errorf("%s for %s left a file", test.pkg, test.platform)
		}
	}
}
