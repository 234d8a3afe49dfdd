package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/spf13/pflag"

	"github.com/typeplane/typeplane/internal/console"
	"github.com/typeplane/typeplane/internal/delegated"
	"github.com/typeplane/typeplane/internal/program"
)

func consoleCommand(s program.Server) command {
	b := &browseTool{program: s.Name, dataDir: program.NewOptions(s.Name).Store.DataDir}
	return command{
		name: "console", about: "shows what the server keeps in a browser",
		more: "It opens a page that shows kinds and objects, live, and changes them. The page is on this machine only, at an\n" +
			"address that is good once, and may do what the kubeconfig may. It is there until the command ends.\n\n" +
			"It talks to the server that runs on the data directory, as its administrator, or to the one of --kubeconfig, which\n" +
			"may be any server of Kubernetes' kind.",
		flags: b.flags,
		run:   b.run,
	}
}

// browseTool is one run of the command.
type browseTool struct {
	program             string
	dataDir, kubeconfig string
	noBrowser           bool
	port                int
}

func (b *browseTool) flags(fs *pflag.FlagSet) {
	fs.StringVar(&b.dataDir, "data-dir", b.dataDir, "`directory` of the server, with its admin.kubeconfig")
	fs.StringVar(&b.kubeconfig, "kubeconfig", "", "`file` that leads to the server; without it, the admin.kubeconfig of --data-dir")
	fs.BoolVar(&b.noBrowser, "no-browser", false, "print the address, and open no browser")
	fs.IntVar(&b.port, "port", 0, "`port` of 127.0.0.1 for the page; 0 is a free one")
}

func (b *browseTool) run(ctx context.Context, args []string, c Console) error {
	if err := noArguments(args); err != nil {
		return err
	}
	if b.port < 0 || b.port > 65535 {
		return fmt.Errorf("--port=%d: want from 0 to 65535", b.port)
	}
	_, config, err := readKubeconfig(b.dataDir, b.kubeconfig)
	if err != nil {
		return err
	}
	return console.Serve(ctx, console.Config{Program: b.program, Server: config, Port: b.port, Opened: func(address string) {
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
