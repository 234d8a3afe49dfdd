package scaffold

import (
	"fmt"
	"path"
	"strings"
)

// AdmissionConfig says which plug-in to add.
type AdmissionConfig struct {
	Config
	// Name is that of the plug-in, as --disable-admission-plugins has it. Group is whose objects it
	// is asked about; "" for the only group.
	Name, Group string
}

// pluginOf is what the template of a plug-in needs.
type pluginOf struct {
	program
	Group, Plugin, Variable string
}

// AddAdmission adds an admission plug-in to the package of the server.
func AddAdmission(c AdmissionConfig) (Result, error) {
	if err := checkKind(c.Name); err != nil {
		return Result{}, fmt.Errorf("%q is no name of a plug-in: want letters and digits that begin with a capital, like KeepOrders", c.Name)
	}
	p, err := Read(c.Root, c.Known)
	if err != nil {
		return Result{}, err
	}
	server, err := p.server()
	if err != nil {
		return Result{}, err
	}
	versions, err := p.group(c.Group)
	if err != nil {
		return Result{}, err
	}
	prog, folder, err := p.program(server)
	if err != nil {
		return Result{}, err
	}
	data := pluginOf{prog, versions[0].Group, c.Name, strings.ToLower(c.Name[:1]) + c.Name[1:]}
	plan := newPlan(p.Root)
	if err := plan.make(path.Join(folder, strings.ToLower(c.Name)+"_admission.go"), "admission.go", data); err != nil {
		return Result{}, err
	}
	left := []string{fmt.Sprintf("add it to the typeplane.Server of package %s: Admission: []typeplane.AdmissionPlugin{%s},", server.Path, data.Variable)}
	return p.run(c.Config, plan, left, "go vet "+prog.Patterns)
}
