// Package storagetest is the exact definition of storage.Interface: a suite that every backend passes.
//
// A backend's test calls Run with a Factory. Each test gets a fresh, empty root from it, so the tests may share one
// database. They run one after the other, because compaction is a matter of the whole database. Start reading at
// Backend; the tests are in one file per verb.
package storagetest
