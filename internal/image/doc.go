// Package image makes OCI images of programs that are servers, with nothing but the go command.
//
// An image has no base image. There is the program with its SBOM, the authorities of public
// certificates, a user that is not root, and a directory for temporary files. The program works in
// /data, which is a volume. Nothing in an image depends on when, where and by whom it was made, so
// two machines with one Go make the same bytes.
//
// Start reading at Write. build.go has what the go command does, layer.go the files of an image,
// sbom.go and page.go what the program is made of, layout.go the words of OCI. The package pushes
// nothing and needs no network.
package image
