// Package transcode appends the JSON of an object from its protobuf, without a Go value in between.
//
// It is for canonical values: messages that generated code wrote, with their fields in the order of
// their numbers and the entries of maps sorted. What it appends is byte for byte what the generated
// AppendJSON writes of the decoded object. Start reading at AppendObjectMeta; the loop is in
// message.go, and it does what a table of the message says.
package transcode
