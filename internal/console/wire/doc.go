// Package wire names the types of Kubernetes that the page of the console reads or sends, so that
// gen prints them for it in TypeScript. No program needs it.
//
// +typeplane:typescript=internal/console/web/src/api/wire.ts
package wire
