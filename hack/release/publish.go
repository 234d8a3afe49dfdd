package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// attached are files of the repository that belong to a release: what was measured and tried with
// it, and what runs it.
var attached = []string{"docs/clients.md", "docs/reliability.md", "deploy/monitoring/alerts.yaml", "deploy/monitoring/dashboard.json", "deploy/systemd/typeplane@.service"}

// publish fills the folder of the release.
func (b *builder) publish(ctx context.Context) error {
	if err := errors.Join(os.RemoveAll(b.out), os.MkdirAll(b.out, 0o755)); err != nil {
		return err
	}
	changelog, err := os.ReadFile(filepath.Join(b.clone, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	text, err := notes(string(changelog), b.version)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(b.out, "NOTES.md"), []byte(linked(text, "CHANGELOG.md", b.version)), 0o644); err != nil {
		return err
	}
	for _, name := range attached {
		text, err := os.ReadFile(filepath.Join(b.clone, name))
		if err != nil {
			return err
		}
		if path.Ext(name) == ".md" {
			text = []byte(linked(string(text), name, b.version))
		}
		if err := os.WriteFile(filepath.Join(b.out, filepath.Base(name)), text, 0o644); err != nil {
			return err
		}
	}
	if err := b.licenses(ctx); err != nil {
		return err
	}
	if err := b.image(ctx); err != nil {
		return err
	}
	if err := b.packAll(); err != nil {
		return err
	}
	return b.sums()
}

// beside is a link to another file of the repository.
var beside = regexp.MustCompile(`\]\(([^)\s#:]+)(#[^)\s]*)?\)`)

// linked has the links of a document of the repository lead to the tag, since the document stands
// alone in a release.
func linked(text, name, version string) string {
	return beside.ReplaceAllStringFunc(text, func(found string) string {
		m := beside.FindStringSubmatch(found)
		return "](" + source + version + "/" + path.Join(path.Dir(name), m[1]) + m[2] + ")"
	})
}

// source has the files of each tag.
const source = "https://github.com/typeplane/typeplane/blob/"

// licenses writes which modules the programs are made of, with the texts of their licences.
func (b *builder) licenses(ctx context.Context) error {
	args := []string{"run", ".", "--into", b.out}
	for _, t := range b.built {
		for _, pkg := range programs {
			args = append(args, filepath.Join(b.programs(t), t.file(pkg)))
		}
	}
	return b.goCommand(ctx, filepath.Join(b.clone, "hack", "licenses"), args...)
}

// image makes the image of the server, and what it is made of in SPDX.
func (b *builder) image(ctx context.Context) error {
	return b.goCommand(ctx, b.clone, "run", "./cmd/image", "--name", "typeplane/library:"+b.version,
		"--output", filepath.Join(b.out, "library.oci.tar"), "--sbom", filepath.Join(b.out, "library.spdx.json"), "./examples/library")
}

func (b *builder) goCommand(ctx context.Context, dir string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = dir, slices.Concat(os.Environ(), b.env, []string{"GOOS=", "GOARCH="})
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args[:2], " "), err, out)
	}
	return nil
}

// packAll packs the programs of each platform with the licences, and the chart.
func (b *builder) packAll() error {
	for _, t := range b.built {
		files := map[string]string{"LICENSE": filepath.Join(b.clone, "LICENSE"), licenseTexts: filepath.Join(b.out, licenseTexts)}
		names := []string{"LICENSE", licenseTexts}
		for _, pkg := range programs {
			files[t.file(pkg)] = filepath.Join(b.programs(t), t.file(pkg))
			names = append(names, t.file(pkg))
		}
		name := fmt.Sprintf("typeplane_%s_%s_%s", b.version, t.os, t.arch)
		write, suffix := b.tarball, ".tar.gz"
		if t.os == "windows" {
			write, suffix = b.zipped, ".zip"
		}
		if err := write(filepath.Join(b.out, name+suffix), names, files); err != nil {
			return err
		}
	}
	return b.chart()
}

// licenseTexts is what hack/licenses writes beside its table.
const licenseTexts = "LICENSES.txt"

// chart packs the chart, which has the version of the release from then on.
func (b *builder) chart() error {
	root := filepath.Join(b.clone, "deploy", "chart")
	description, err := os.ReadFile(filepath.Join(root, "Chart.yaml"))
	if err != nil {
		return err
	}
	stamped := filepath.Join(b.work, "Chart.yaml")
	version := strings.TrimPrefix(b.version, "v")
	text := strings.Replace(string(description), "\nversion: 0.0.0\n", "\nversion: "+version+"\nappVersion: "+version+"\n", 1)
	if text == string(description) {
		return errors.New("deploy/chart/Chart.yaml: want the line version: 0.0.0, which a release replaces")
	}
	if err := os.WriteFile(stamped, []byte(text), 0o644); err != nil {
		return err
	}
	names, files := []string{"typeplane/Chart.yaml"}, map[string]string{"typeplane/Chart.yaml": stamped}
	for _, pattern := range []string{"values.*", "templates/*"} {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			return err
		}
		for _, file := range found {
			name := "typeplane/" + filepath.ToSlash(strings.TrimPrefix(file, root+string(filepath.Separator)))
			names, files[name] = append(names, name), file
		}
	}
	return b.tarball(filepath.Join(b.out, "typeplane-"+version+".tgz"), names, files)
}

// tarball writes an archive that depends on nothing but its files and the commit.
func (b *builder) tarball(name string, names []string, files map[string]string) error {
	return create(name, func(out io.Writer) error {
		z := gzip.NewWriter(out)
		w := tar.NewWriter(z)
		for _, name := range names {
			data, err := os.ReadFile(files[name])
			if err != nil {
				return err
			}
			if err := w.WriteHeader(&tar.Header{Name: name, Mode: mode(files[name]), Size: int64(len(data)), ModTime: b.time.UTC(), Format: tar.FormatUSTAR}); err != nil {
				return err
			}
			if _, err := w.Write(data); err != nil {
				return err
			}
		}
		return errors.Join(w.Close(), z.Close())
	})
}

func (b *builder) zipped(name string, names []string, files map[string]string) error {
	return create(name, func(out io.Writer) error {
		w := zip.NewWriter(out)
		for _, name := range names {
			data, err := os.ReadFile(files[name])
			if err != nil {
				return err
			}
			header := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: b.time.UTC()}
			header.SetMode(os.FileMode(mode(files[name])))
			f, err := w.CreateHeader(header)
			if err != nil {
				return err
			}
			if _, err := f.Write(data); err != nil {
				return err
			}
		}
		return w.Close()
	})
}

// mode is that of a program, or that of other files: what the machine's umask made of it is left
// out.
func mode(file string) int64 {
	if info, err := os.Stat(file); err == nil && info.Mode()&0o100 != 0 {
		return 0o755
	}
	return 0o644
}

// sums writes SHA256SUMS, for sha256sum --check, and lists what there is.
func (b *builder) sums() error {
	entries, err := os.ReadDir(b.out)
	if err != nil {
		return err
	}
	var list strings.Builder
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(b.out, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&list, "%x  %s\n", sha256.Sum256(data), e.Name())
		fmt.Fprintf(w, "  %s\t%.2f MB\n", e.Name(), float64(len(data))/1e6)
	}
	fmt.Printf("\n%s, of %s:\n", b.out, b.time.UTC().Format(time.RFC3339))
	return errors.Join(w.Flush(), os.WriteFile(filepath.Join(b.out, "SHA256SUMS"), []byte(list.String()), 0o644))
}

func create(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
