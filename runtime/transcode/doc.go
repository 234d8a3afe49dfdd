// Package transcode appends the JSON of an object from its protobuf, without a Go value in between.
//
// It is for canonical values: messages that generated code wrote, with their fields in the order of
// their numbers and the entries of maps sorted. What it appends is byte for byte what the generated
// AppendJSON writes of the decoded object. Anything else is an error, and the caller decodes.
//
// One loop (message.go) appends all messages. A table for each, which gen prints, says what its
// fields are called and how they are written: a Message is the table, a Member is a line of it. The
// tables are constant data, so nothing runs when a program starts. Types of apimachinery have their
// tables here (meta.go, known.go), as they have their JSON functions in runtime/json/apimachinery.
// What has no word in a table, like a type with its own MarshalJSON, is decoded alone (Decoded).
//
// Start reading at Message.
package transcode
