// Package metrics counts and times requests, under the names that kube-apiserver has, so that its
// dashboards and alerts work. Metrics with another meaning than there have names of their own,
// which begin with typeplane_.
//
// A Requests belongs to one server. Its labels are bounded: resources are those that are served,
// verbs and codes are those of HTTP, and whatever else somebody sends is "other". For each
// combination the handles are found once and then read without a lock, so that a request pays for
// three atomic additions. Start reading at Requests; Handler gives the page.
//
// This package knows no request and decides nothing; package server says what happened, and package
// serve adds what only it can see (caches, the database).
package metrics
