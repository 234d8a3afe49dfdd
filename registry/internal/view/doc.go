// Package view writes what a registry answers: objects, lists, Tables and metadata alone, in every
// media type.
//
// Start reading at Factory, which makes the views of a version, and Object.WriteTo. In the stored
// version an answer is made of canonical bytes, another one of objects that are converted one by
// one. Answers without a store behind them are Struct, Virtual and VirtualList. A list is written
// item by item, in pieces (chunks.go).
//
// This package does not know which objects are asked for, and reads no store.
package view
