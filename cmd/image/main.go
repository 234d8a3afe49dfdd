// Command image makes an OCI image of a server's program, without a container engine and without
// a base image; see package internal/image for what is in it.
//
//	image [flags] PACKAGE
//
// It writes the image for all platforms into one file, which podman load, docker load, ctr images
// import and skopeo take. The same source and the same Go make the same file. The exit status is 0
// if all is well, 1 if the image could not be made, and 2 if the command was called wrongly.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path"

	"github.com/spf13/pflag"

	"github.com/typeplane/typeplane/internal/image"
)

func main() {
	fs := pflag.NewFlagSet("image", pflag.ContinueOnError)
	var o image.Options
	fs.StringVar(&o.Name, "name", "", "`name` of the image, like registry.example.com/shop:v1.2.0; without it that of the program, and the tag latest")
	fs.StringSliceVar(&o.Platforms, "platforms", []string{"linux/amd64", "linux/arm64"}, "comma-separated `platforms` to build for")
	fs.StringVarP(&o.File, "output", "o", "", "`file` for the image, an archive of an OCI layout; without it bin/PROGRAM.oci.tar")
	fs.StringVar(&o.SBOM, "sbom", "", "`file` for what the program for the first platform is made of, in SPDX; without it none beside those in the image")
	fs.Usage = func() {
		fmt.Fprintf(os.Stderr, "image makes an OCI image of a server's program.\n\nUsage: image [flags] PACKAGE\n\n%s", fs.FlagUsagesWrapped(80))
	}
	if err := fs.Parse(os.Args[1:]); err == pflag.ErrHelp {
		return
	} else if err != nil || fs.NArg() != 1 {
		if err == nil {
			err = fmt.Errorf("want one package, that of the program, and got %d", fs.NArg())
		}
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(2)
	}
	o.Package = fs.Arg(0)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	made, err := image.Write(ctx, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
	fmt.Printf("%s: %s, %s\n", made.File, path.Base(made.Name), made.Digest)
	for _, p := range made.Platforms {
		fmt.Printf("  %-14s %s, %.1f MB, %d modules\n", p.Platform, p.Digest, float64(p.Size)/1e6, p.Modules)
	}
}
