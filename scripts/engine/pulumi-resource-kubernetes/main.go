// Command pulumi-resource-kubernetes serves Pulumi's Kubernetes provider.
//
// The module ships its schema beside the upstream main package, which embeds files that a generator would make; the
// builder copies the module's own two files here, so that no generator is needed.
package main

import (
	_ "embed"

	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/provider"
	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/version"
)

//go:embed schema.json
var schema []byte

//go:embed terraform-mapping.json
var mapping []byte

func main() {
	provider.Serve("kubernetes", version.Version, schema, mapping)
}
