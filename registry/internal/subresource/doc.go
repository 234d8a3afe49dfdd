// Package subresource knows what the requests for a subresource are, of which the body is another
// kind than the object's.
//
// Rules fill in the defaults of a body and judge it, NewCodec shows it to admission, and Replicas
// are what an object has in common with its Scale. What the requests change is decided in package
// registry.
package subresource
