package etcd3

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// floors are the first versions of each minor that are good enough; a later minor always is.
var floors = []struct {
	version [3]int
	text    string
}{
	{[3]int{3, 5, 28}, "3.5.28"},
	{[3]int{3, 6, 9}, "3.6.9"},
}

// othersWithin is how long the other endpoints may take to answer after the first did: one that is down must not hold up
// the start.
const othersWithin = time.Second

// checkVersions asks every endpoint for its version. One that does not answer may be down; all of them may not.
func checkVersions(ctx context.Context, client *Client, endpoints []string, tlsConfig *tls.Config) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type answer struct {
		endpoint, version string
		err               error
	}
	answers := make(chan answer, len(endpoints))
	for _, e := range endpoints {
		go func() {
			resp, err := client.Status(ctx, e)
			a := answer{endpoint: e, err: err}
			if err == nil {
				a.version = resp.Version
			} else if cause := diagnose(ctx, e, tlsConfig); cause != nil {
				a.err = cause
			}
			answers <- a
		}()
	}
	var silent []error
	var enough <-chan time.Time // runs when one has answered
	for range endpoints {
		select {
		case a := <-answers:
			if a.err != nil {
				silent = append(silent, fmt.Errorf("etcd3: connect to %s: %w", a.endpoint, a.err))
				continue
			}
			if err := checkVersion(a.version); err != nil {
				return fmt.Errorf("etcd3: %s: %w", a.endpoint, err)
			}
			enough = time.After(othersWithin)
		case <-enough:
			return nil
		}
	}
	if len(silent) == len(endpoints) {
		return errors.Join(silent...)
	}
	return nil
}

// checkVersion returns an error with the reason if an etcd of that version must not be used.
func checkVersion(version string) error {
	number, pre, _ := strings.Cut(version, "-")
	number, _, _ = strings.Cut(number, "+")
	var v [3]int
	parts := strings.Split(number, ".")
	if len(parts) != 3 {
		return fmt.Errorf("can't read the version %q", version)
	}
	for i, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil || n < 0 {
			return fmt.Errorf("can't read the version %q", version)
		}
		v[i] = n
	}
	if v[0] < 3 || v[0] == 3 && v[1] < 5 {
		return fmt.Errorf("etcd %s is no longer maintained: upgrade to 3.5.28, 3.6.9 or later", version)
	}
	for _, f := range floors {
		old := v[2] < f.version[2] || v[2] == f.version[2] && pre != ""
		if v[0] == f.version[0] && v[1] == f.version[1] && old {
			return fmt.Errorf("etcd %s may answer a linearizable read with an old state after a pause of the process "+
				"(etcd-io/etcd issue 20418): upgrade to %s or later", version, f.text)
		}
	}
	return nil
}
