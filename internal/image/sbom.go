package image

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"runtime/debug"
	"strings"
)

// An SBOM in the words of https://spdx.github.io/spdx-spec/v2.3. It has the program, the modules
// that the go command says it is made of, and the packages of npm in the page of its console.
type (
	spdxDocument struct {
		Version       string             `json:"spdxVersion"`
		DataLicense   string             `json:"dataLicense"`
		ID            string             `json:"SPDXID"`
		Name          string             `json:"name"`
		Namespace     string             `json:"documentNamespace"`
		Creation      spdxCreation       `json:"creationInfo"`
		Packages      []spdxPackage      `json:"packages"`
		Relationships []spdxRelationship `json:"relationships"`
	}
	spdxCreation struct {
		Created  string   `json:"created"`
		Creators []string `json:"creators"`
	}
	spdxPackage struct {
		ID               string         `json:"SPDXID"`
		Name             string         `json:"name"`
		Version          string         `json:"versionInfo,omitempty"`
		Purpose          string         `json:"primaryPackagePurpose,omitempty"`
		DownloadLocation string         `json:"downloadLocation"`
		FilesAnalyzed    bool           `json:"filesAnalyzed"`
		LicenseConcluded string         `json:"licenseConcluded"`
		LicenseDeclared  string         `json:"licenseDeclared"`
		Copyright        string         `json:"copyrightText"`
		Checksums        []spdxChecksum `json:"checksums,omitempty"`
		References       []spdxRef      `json:"externalRefs,omitempty"`
	}
	spdxChecksum struct {
		Algorithm string `json:"algorithm"`
		Value     string `json:"checksumValue"`
	}
	spdxRef struct {
		Category string `json:"referenceCategory"`
		Type     string `json:"referenceType"`
		Locator  string `json:"referenceLocator"`
	}
	spdxRelationship struct {
		Element string `json:"spdxElementId"`
		Type    string `json:"relationshipType"`
		Related string `json:"relatedSpdxElement"`
	}
)

const (
	spdxDocumentID = "SPDXRef-DOCUMENT"
	spdxProgramID  = "SPDXRef-program"
	spdxUnknown    = "NOASSERTION"
)

// describe makes the program's SBOM. Licences are not looked at: the modules themselves say them.
func (b *built) describe() ([]byte, error) {
	sum := sha256.Sum256(b.binary)
	digest := hex.EncodeToString(sum[:])
	program := newPackage(spdxProgramID, b.name, versionOf(&b.info.Main))
	program.Purpose = "APPLICATION"
	program.Checksums = []spdxChecksum{{"SHA256", digest}}
	program.References = purl("golang", b.info.Main.Path, program.Version)
	d := spdxDocument{
		Version: "SPDX-2.3", DataLicense: "CC0-1.0", ID: spdxDocumentID, Name: b.name + "-" + b.platform.OS + "-" + b.platform.Architecture,
		Namespace:     "https://spdx.org/spdxdocs/" + url.PathEscape(b.name) + "-" + digest,
		Creation:      spdxCreation{b.created, []string{"Tool: github.com/typeplane/typeplane/cmd/image"}},
		Packages:      []spdxPackage{program},
		Relationships: []spdxRelationship{{spdxDocumentID, "DESCRIBES", spdxProgramID}},
	}
	add := func(id, kind, name, version string) {
		p := newPackage(id, name, version)
		p.Purpose, p.References = "LIBRARY", purl(kind, name, version)
		d.Packages = append(d.Packages, p)
		d.Relationships = append(d.Relationships, spdxRelationship{spdxProgramID, "DEPENDS_ON", id})
	}
	standard := &debug.Module{Path: "stdlib", Version: strings.TrimPrefix(b.info.GoVersion, "go")}
	for i, m := range append([]*debug.Module{standard}, b.info.Deps...) {
		if m.Replace != nil && m.Replace.Version != "" { // by another module, and not by a folder
			m = m.Replace
		}
		add(fmt.Sprintf("SPDXRef-module-%d", i), "golang", m.Path, versionOf(m))
	}
	for i, p := range b.page {
		add(fmt.Sprintf("SPDXRef-npm-%d", i), "npm", p.name, p.version)
	}
	text, err := json.MarshalIndent(d, "", " ")
	return append(text, '\n'), err
}

func newPackage(id, name, version string) spdxPackage {
	return spdxPackage{
		ID: id, Name: name, Version: version,
		DownloadLocation: spdxUnknown, LicenseConcluded: spdxUnknown, LicenseDeclared: spdxUnknown, Copyright: spdxUnknown,
	}
}

// purl names a module, or a package of npm, for those who look for its vulnerabilities.
func purl(kind, name, version string) []spdxRef {
	locator := "pkg:" + kind + "/" + strings.ReplaceAll(name, "@", "%40")
	if version != "" {
		locator += "@" + url.QueryEscape(version)
	}
	return []spdxRef{{"PACKAGE-MANAGER", "purl", locator}}
}

// versionOf is the version of a module, or "" where the go command knows none.
func versionOf(m *debug.Module) string {
	if m.Version == "(devel)" {
		return ""
	}
	return m.Version
}
