package image

import (
	"archive/tar"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Options says what to make an image of.
type Options struct {
	// Package is that of the program, in the words of the go command, and Dir where these are said;
	// "" is the current directory.
	Package, Dir string
	// Name is that of the image, with its tag; "" is that of the program.
	Name string
	// Platforms are those of the image, each like linux/amd64.
	Platforms []string
	// File is that of the image, an archive of an OCI layout; "" is bin/PROGRAM.oci.tar.
	File string
	// SBOM is a file for the SBOM of the first platform; "" is none.
	SBOM string
}

// Made is an image that has been written.
type Made struct {
	Name, File string
	// Digest is that of the index, by which registries know the image.
	Digest    string
	Platforms []MadePlatform
}

// MadePlatform is the part of an image for one platform.
type MadePlatform struct {
	Platform, Digest string
	// Size is what is downloaded, in bytes; Modules are those that the program is made of.
	Size    int64
	Modules int
}

// Write builds a program for each platform, and writes an image of it.
func Write(ctx context.Context, o Options) (Made, error) {
	if len(o.Platforms) == 0 {
		return Made{}, errors.New("no platform is named")
	}
	name, err := programName(ctx, o)
	if err != nil {
		return Made{}, err
	}
	dir, err := os.MkdirTemp("", "image")
	if err != nil {
		return Made{}, err
	}
	defer os.RemoveAll(dir)
	l := newLayout()
	made := Made{Name: cmp.Or(o.Name, name+":latest"), File: cmp.Or(o.File, filepath.Join("bin", name+".oci.tar"))}
	if !strings.Contains(filepath.Base(made.Name), ":") {
		made.Name += ":latest"
	}
	var parts []descriptor
	for i, text := range o.Platforms {
		p, err := parsePlatform(text)
		if err != nil {
			return Made{}, err
		}
		b, err := build(ctx, o, p, filepath.Join(dir, name))
		if err != nil {
			return Made{}, err
		}
		part, size, err := l.addPlatform(b)
		if err != nil {
			return Made{}, err
		}
		parts = append(parts, part)
		made.Platforms = append(made.Platforms, MadePlatform{text, part.Digest, size, len(b.info.Deps)})
		if i == 0 && o.SBOM != "" {
			if err := os.WriteFile(o.SBOM, b.sbom, 0o644); err != nil {
				return Made{}, err
			}
		}
	}
	if made.Digest, err = l.finish(made.Name, parts); err != nil {
		return Made{}, err
	}
	return made, writeArchive(made.File, l)
}

// writeArchive writes the layout beside the file first, so that there is never half of one.
func writeArchive(name string, l *layout) (err error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := errors.Join(l.archive(f), f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// addPlatform adds the program for one platform: its layers, its configuration and its manifest.
// The size is that of all of them.
func (l *layout) addPlatform(b *built) (part descriptor, size int64, err error) {
	base, err := l.addLayer(baseFiles())
	if err != nil {
		return part, 0, err
	}
	own, err := l.addLayer(programFiles(b))
	if err != nil {
		return part, 0, err
	}
	c := config{
		Created: b.created, Architecture: b.platform.Architecture, Variant: b.platform.Variant, OS: b.platform.OS,
		Config: runConfig{
			User: fmt.Sprintf("%d:%d", userID, userID), WorkingDir: dataDir, Volumes: map[string]struct{}{dataDir: {}},
			Entrypoint: []string{"/" + b.name}, Cmd: []string{"--bind-address=0.0.0.0"},
			ExposedPorts: map[string]struct{}{"6443/tcp": {}}, Labels: b.labels(),
		},
		RootFS:  rootFS{Type: "layers", DiffIDs: []string{base.plain, own.plain}},
		History: []history{{b.created, "a user, /data, /tmp and the authorities of public certificates"}, {b.created, b.name + ", and its SBOM"}},
	}
	configured, err := l.addJSON(typeConfig, c)
	if err != nil {
		return part, 0, err
	}
	part, err = l.addJSON(typeManifest, manifest{
		SchemaVersion: 2, MediaType: typeManifest, Config: configured, Layers: []descriptor{base.descriptor, own.descriptor}, Annotations: b.labels(),
	})
	part.Platform = &b.platform
	return part, part.Size + configured.Size + base.Size + own.Size, err
}

// finish adds the index of all platforms, and the one of the layout that leads to it.
func (l *layout) finish(name string, parts []descriptor) (digest string, err error) {
	all, err := l.addJSON(typeIndex, index{SchemaVersion: 2, MediaType: typeIndex, Manifests: parts})
	if err != nil {
		return "", err
	}
	// Podman takes the name of an image from the first, containerd and Docker from the second.
	all.Annotations = map[string]string{"org.opencontainers.image.ref.name": name, "io.containerd.image.name": name}
	l.index, err = json.Marshal(index{SchemaVersion: 2, MediaType: typeIndex, Manifests: []descriptor{all}})
	return all.Digest, err
}

// archive writes the layout as a tar file: always the same files in the same order.
func (l *layout) archive(out io.Writer) error {
	w := tar.NewWriter(out)
	add := func(name string, data []byte) error {
		header := &tar.Header{Name: name, Mode: 0o644, Size: int64(len(data)), ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR}
		if err := w.WriteHeader(header); err != nil {
			return err
		}
		_, err := w.Write(data)
		return err
	}
	if err := errors.Join(add("oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`)), add("index.json", l.index)); err != nil {
		return err
	}
	for _, b := range l.blobs {
		if err := add("blobs/sha256/"+strings.TrimPrefix(b.digest, "sha256:"), b.data); err != nil {
			return err
		}
	}
	return w.Close()
}
