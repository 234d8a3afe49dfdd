package rest

import (
	"bytes"
	"encoding/json"
)

// Read decodes what a view says into an object, or into a list of some, of the resource's version.
// It is for plug-ins and loops that read through the verbs of a Resource.
func Read(view View, into any) error {
	var b bytes.Buffer
	if err := view.WriteTo(&b, Representation{MediaType: JSON}); err != nil {
		return err
	}
	return json.Unmarshal(b.Bytes(), into)
}
