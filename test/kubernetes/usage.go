package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// usage is what a server and its etcd have taken so far.
type usage struct {
	server, etcd time.Duration // of CPU, as the kernel counts it
	// toEtcd and fromEtcd are bytes between etcd and its clients.
	toEtcd, fromEtcd float64
}

func (u usage) minus(v usage) usage {
	return usage{u.server - v.server, u.etcd - v.etcd, u.toEtcd - v.toEtcd, u.fromEtcd - v.fromEtcd}
}

// used asks the kernel, and etcd for its metrics.
func used(ctx context.Context, server int, e *etcd) (u usage, err error) {
	if u.server, err = cpu(server); err != nil {
		return u, err
	}
	if u.etcd, err = cpu(e.cmd.Process.Pid); err != nil {
		return u, err
	}
	values, err := metrics(ctx, http.DefaultClient, e.url)
	u.toEtcd = values.sum("etcd_network_client_grpc_received_bytes_total", "")
	u.fromEtcd = values.sum("etcd_network_client_grpc_sent_bytes_total", "")
	return u, err
}

// cpu is the time that a process has spent, in user mode and in the kernel, in steps of 10 ms.
func cpu(pid int) (time.Duration, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The name, in brackets, may hold anything. Behind it the times are the 12th and the 13th.
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(fields) < 13 {
		return 0, fmt.Errorf("/proc/%d/stat is too short", pid)
	}
	user, err := strconv.Atoi(string(fields[11]))
	if err != nil {
		return 0, err
	}
	system, err := strconv.Atoi(string(fields[12]))
	return time.Duration(user+system) * 10 * time.Millisecond, err
}

// memory is a size that the kernel says of a process, in MiB: VmRSS, or VmHWM for the most so far.
func memory(pid int, name string) (int, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(data) {
		var kib int
		if n, _ := fmt.Sscanf(string(line), name+": %d kB", &kib); n == 1 {
			return kib >> 10, nil
		}
	}
	return 0, fmt.Errorf("/proc/%d/status has no %s", pid, name)
}

// series are lines of metrics: a name with labels, and its value.
type series map[string]float64

func metrics(ctx context.Context, client *http.Client, url string) (series, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s/metrics: %s", url, resp.Status)
	}
	return readSeries(resp.Body)
}

func readSeries(from io.Reader) (series, error) {
	all := series{}
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		name, value, ok := cutLast(lines.Text())
		if !ok || strings.HasPrefix(name, "#") {
			continue
		}
		if v, err := strconv.ParseFloat(value, 64); err == nil {
			all[name] = v
		}
	}
	return all, lines.Err()
}

func cutLast(line string) (name, value string, ok bool) {
	i := strings.LastIndexByte(line, ' ')
	if i < 0 {
		return "", "", false
	}
	return line[:i], line[i+1:], true
}

// sum adds up a metric, of all series that have a label, like `code="5`.
func (s series) sum(name, label string) (total float64) {
	for key, v := range s {
		if of, labels, _ := strings.Cut(key, "{"); of == name && strings.Contains(labels, label) {
			total += v
		}
	}
	return total
}
