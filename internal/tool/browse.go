package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/spf13/pflag"

	"github.com/typeplane/typeplane/internal/console"
	"github.com/typeplane/typeplane/internal/database"
	"github.com/typeplane/typeplane/internal/delegated"
	"github.com/typeplane/typeplane/internal/program"
)

func consoleCommand(s program.Server) command {
	b := &browseTool{program: s, store: &program.NewOptions(s.Name).Store}
	return command{
		name: "console", about: "shows what the server keeps in a browser",
		more: "It opens a page that shows kinds and objects, live, and changes them. The page is on this machine only, at an\n" +
			"address that is good once, and may do what the kubeconfig may. It is there until the command ends.\n\n" +
			"It talks to the server that runs on the data directory, as its administrator, or to the one of --kubeconfig, which\n" +
			"may be any server of Kubernetes' kind. With the data directory it shows the bytes in etcd, too, as inspect does, and\n" +
			"the end of the audit log.",
		flags: b.flags,
		run:   b.run,
	}
}

// browseTool is one run of the command.
type browseTool struct {
	program    program.Server
	store      *program.StoreOptions
	kubeconfig string
	auditLog   string
	noBrowser  bool
	port       int
}

func (b *browseTool) flags(fs *pflag.FlagSet) {
	fs.StringVar(&b.kubeconfig, "kubeconfig", "", "`file` that leads to the server; without it, the admin.kubeconfig of --data-dir")
	fs.StringVar(&b.auditLog, "audit-log-path", "", "`file` of the server's audit log, whose end is shown; without it, the one in --data-dir")
	fs.BoolVar(&b.noBrowser, "no-browser", false, "print the address, and open no browser")
	fs.IntVar(&b.port, "port", 0, "`port` of 127.0.0.1 for the page; 0 is a free one")
	program.AddPlaceFlags(b.store, fs)
	program.AddFormFlags(b.store, fs)
}

func (b *browseTool) run(ctx context.Context, args []string, c Console) error {
	if err := noArguments(args); err != nil {
		return err
	}
	if b.port < 0 || b.port > 65535 {
		return fmt.Errorf("--port=%d: want from 0 to 65535", b.port)
	}
	_, config, err := readKubeconfig(b.store.DataDir, b.kubeconfig)
	if err != nil {
		return err
	}
	disk, err := b.disk(c)
	if err != nil {
		return err
	}
	return console.Serve(ctx, console.Config{Program: b.program.Name, Groups: program.OwnGroups(b.program), Server: config, Disk: disk, Audit: b.audit(), Port: b.port, Opened: func(address string) {
		c.say(fmt.Sprintf("the console of %s is at the address below, which is good once; Ctrl-C ends it", config.Server))
		fmt.Fprintln(c.Out, address)
		if b.noBrowser {
			return
		}
		if err := openBrowser(address); err != nil {
			c.say(fmt.Sprintf("no browser was opened (%v): open the address yourself", err))
		}
	}})
}

// disk reads the database of the server, nil if another one than that of the data directory is
// looked at.
func (b *browseTool) disk(c Console) (http.Handler, error) {
	if b.kubeconfig != "" {
		return nil, nil
	}
	if err := errors.Join(program.ValidatePlace(b.store), program.ValidateForm(b.store)); err != nil {
		return nil, err
	}
	kinds, err := database.AllKinds(b.program, b.store)
	if err != nil {
		return nil, err
	}
	return &disk{program: b.program, store: b.store, kinds: kinds, c: c}, nil
}

// audit reads the audit log of the server. It is nil if that is no file, or somewhere else and
// nobody has said where. The flag means what the server's means: a file of settings is for both.
func (b *browseTool) audit() http.Handler {
	switch {
	case b.auditLog == "-":
		return nil
	case b.auditLog != "" && b.auditLog != program.AuditInDataDir:
		return &audited{b.auditLog}
	case b.kubeconfig != "":
		return nil
	}
	return &audited{program.AuditFile(b.store.DataDir)}
}

// readKubeconfig reads a file that leads to a server: the one that is named, or that of a data
// directory.
func readKubeconfig(dataDir, named string) (file string, config delegated.Config, err error) {
	file = named
	if file == "" {
		file = filepath.Join(dataDir, "admin.kubeconfig")
	}
	config, err = delegated.ReadKubeconfig(file)
	if errors.Is(err, fs.ErrNotExist) && named == "" {
		return file, config, fmt.Errorf("--data-dir=%s: no server has run on it, as there is no admin.kubeconfig; start the server, or name a --kubeconfig", dataDir)
	}
	return file, config, err
}

// openers are the programs of systems that open an address in a browser.
var openers = map[string][]string{
	"darwin":  {"open"},
	"windows": {"rundll32", "url.dll,FileProtocolHandler"},
}

func openBrowser(address string) error {
	opener, known := openers[runtime.GOOS]
	if !known {
		opener = []string{"xdg-open"}
	}
	cmd := exec.Command(opener[0], append(opener[1:len(opener):len(opener)], address)...)
	if err := cmd.Start(); err != nil {
		return err
	}
	go cmd.Wait() // how it ends, and when, is for the person who looks
	return nil
}
