package breaking

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// blob is a file of a commit: the name of its content in git, and its own.
type blob struct{ object, name string }

// writeTree writes the files of a commit into a folder, as they were committed. Unlike
// git archive it neither leaves out what .gitattributes calls export-ignore, nor changes what it
// calls export-subst.
func writeTree(cfg Config, commit, dir string) error {
	blobs, err := listTree(cfg, commit)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	var wanted strings.Builder
	for _, b := range blobs {
		wanted.WriteString(b.object + "\n")
	}
	cmd := exec.Command("git", "cat-file", "--batch")
	cmd.Dir, cmd.Env, cmd.Stdin = cfg.Dir, cfg.Env, strings.NewReader(wanted.String())
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = writeBlobs(root, bufio.NewReaderSize(out, 64<<10), blobs)
	if err != nil {
		_ = cmd.Process.Kill() // it waits for somebody to read on
	}
	if ended := cmd.Wait(); err == nil && ended != nil {
		err = errors.New(strings.TrimSpace(ended.Error() + ": " + stderr.String()))
	}
	return err
}

// listTree are the regular files of a commit. Links are left out, for they may lead out of the
// folder, and so are other repositories, which git has no files of.
func listTree(cfg Config, commit string) ([]blob, error) {
	listed, err := git(cfg, "ls-tree", "-r", "-z", "--full-tree", commit)
	if err != nil {
		return nil, err
	}
	var out []blob
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(listed), "\x00"), "\x00") {
		about, name, _ := strings.Cut(entry, "\t") // mode, type and object
		if words := strings.Fields(about); len(words) == 3 && strings.HasPrefix(words[0], "100") {
			out = append(out, blob{words[2], name})
		}
	}
	return out, nil
}

// writeBlobs reads contents in the order of their files: a line with the object, its type and its
// size, that many bytes, and a line end.
func writeBlobs(root *os.Root, from *bufio.Reader, blobs []blob) error {
	for _, b := range blobs {
		var object, kind string
		var size int64
		line, err := from.ReadString('\n')
		if err != nil {
			return err
		}
		if _, err := fmt.Sscan(line, &object, &kind, &size); err != nil || object != b.object {
			return fmt.Errorf("git has no content of %s: %s", b.name, strings.TrimSpace(line))
		}
		if err := writeFile(root, filepath.FromSlash(b.name), io.LimitReader(from, size)); err != nil {
			return err
		}
		if _, err := from.Discard(1); err != nil {
			return err
		}
	}
	return nil
}

func writeFile(root *os.Root, name string, from io.Reader) error {
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	to, err := root.Create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Close())
}
