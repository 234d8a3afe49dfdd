package image

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/pem"
	"fmt"
	"time"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// userID is that of the user and its group: the one that images without a distribution have by
// custom.
const userID = 65532

// dataDir is where the program works and keeps its data.
const dataDir = "/data"

// entry is a file or, if it ends in a slash, a directory of a layer.
type entry struct {
	name  string
	mode  int64
	owner int
	data  []byte
}

// baseFiles are those that are the same for all programs and platforms.
func baseFiles() []entry {
	return []entry{
		{name: "data/", mode: 0o700, owner: userID},
		{name: "etc/", mode: 0o755},
		{name: "etc/group", mode: 0o644, data: []byte("root:x:0:\nnonroot:x:65532:\n")},
		{name: "etc/passwd", mode: 0o644, data: []byte("root:x:0:0:root:/:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/data:/sbin/nologin\n")},
		{name: "etc/ssl/", mode: 0o755},
		{name: "etc/ssl/certs/", mode: 0o755},
		{name: "etc/ssl/certs/ca-certificates.crt", mode: 0o644, data: authorities()},
		{name: "tmp/", mode: 0o1777},
	}
}

// programFiles are the program and its SBOM, under a name that scanners look for.
func programFiles(b *built) []entry {
	return []entry{
		{name: b.name, mode: 0o755, data: b.binary},
		{name: b.name + ".spdx.json", mode: 0o644, data: b.sbom},
	}
}

// authorities are those whom Mozilla trusts, in PEM. Those that are trusted with a condition are
// left out: a file can't say it.
func authorities() []byte {
	var out bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // a buffer takes everything
		}
	}
	return out.Bytes()
}

// layer is one that was added, with the digest of what it is unpacked.
type layer struct {
	descriptor
	plain string
}

func (l *layout) addLayer(entries []entry) (layer, error) {
	var plain bytes.Buffer
	w := tar.NewWriter(&plain)
	for _, e := range entries {
		header := &tar.Header{
			Typeflag: tar.TypeReg, Name: e.name, Mode: e.mode, Uid: e.owner, Gid: e.owner, Size: int64(len(e.data)),
			ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR,
		}
		if e.name[len(e.name)-1] == '/' {
			header.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(header); err != nil {
			return layer{}, fmt.Errorf("%s: %w", e.name, err)
		}
		if _, err := w.Write(e.data); err != nil {
			return layer{}, fmt.Errorf("%s: %w", e.name, err)
		}
	}
	if err := w.Close(); err != nil {
		return layer{}, err
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(plain.Bytes()); err != nil {
		return layer{}, err
	}
	if err := z.Close(); err != nil {
		return layer{}, err
	}
	return layer{l.add(typeLayer, packed.Bytes()), digestOf(plain.Bytes())}, nil
}
