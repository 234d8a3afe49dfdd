package main

// policySteps has a policy refuse a pod. Its type is checked by the controller manager, which says
// so in the status.
func policySteps() []step {
	return []step{
		{
			name: "a policy is checked", apply: policy,
			until: "get validatingadmissionpolicy no-latest -o jsonpath={.status.observedGeneration}/{.status.typeChecking}", want: "1/{}",
		},
		{
			name: "a policy refuses a pod", apply: policyBinding, refused: latest,
			until: "get pods latest --ignore-not-found -o name", want: "",
		},
		{name: "a policy goes", run: []string{"delete validatingadmissionpolicybinding no-latest", "delete validatingadmissionpolicy no-latest"}},
	}
}

const policy = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: no-latest}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [CREATE, UPDATE]}
  validations:
  - expression: "object.spec.containers.all(c, !c.image.endsWith(':latest'))"
    message: images have to have a version
`

const policyBinding = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: no-latest}
spec: {policyName: no-latest, validationActions: [Deny]}
`

const latest = `
apiVersion: v1
kind: Pod
metadata: {name: latest}
spec: {containers: [{name: app, image: "example.com/app:latest"}]}
`
