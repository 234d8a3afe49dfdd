package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// TestMain is also the command "request" of the scripts, for what no command of kubectl sends:
//
//	request METHOD PATH [CONTENT-TYPE BODY]
//
// It prints the status, the content type, the warnings, and the body.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) != "request" {
		os.Exit(m.Run())
	}
	if err := request(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "request:", err)
		os.Exit(1)
	}
}

// contentTypes are short names of those that patches have.
var contentTypes = map[string]string{
	"json":      "application/json-patch+json",
	"merge":     "application/merge-patch+json",
	"strategic": "application/strategic-merge-patch+json",
	"apply":     "application/apply-patch+yaml",
}

func request(args []string) error {
	if len(args) != 2 && len(args) != 4 {
		return fmt.Errorf("want METHOD PATH [CONTENT-TYPE BODY], got %q", args)
	}
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return err
	}
	args = append(args, "", "")
	r, err := http.NewRequest(args[0], config.Host+args[1], strings.NewReader(args[3]))
	if err != nil {
		return err
	}
	if contentType := args[2]; contentType != "" {
		if long, ok := contentTypes[contentType]; ok {
			contentType = long
		}
		r.Header.Set("Content-Type", contentType)
	}
	r.Header.Set("User-Agent", "script")
	resp, err := client.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	fmt.Println(resp.StatusCode, resp.Header.Get("Content-Type"))
	for _, warning := range resp.Header["Warning"] {
		fmt.Println("Warning:", warning)
	}
	_, err = io.Copy(os.Stdout, resp.Body)
	return err
}
