// Command pulumi-resource-kubernetes serves Pulumi's Kubernetes provider.
//
// The module ships its schema beside the upstream main package, which embeds files that a generator would make; the
// builder copies the module's own two files here, so that no generator is needed.
package main

import (
	_ "embed"
	"os"
	"time"

	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/provider"
	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/version"
)

//go:embed schema.json
var schema []byte

//go:embed terraform-mapping.json
var mapping []byte

func main() {
	exitWithParent()
	provider.Serve("kubernetes", version.Version, schema, mapping)
}

// exitWithParent ends this process once the one that started it is gone: a killed engine cannot stop its plugins.
func exitWithParent() {
	parent := os.Getppid()
	go func() {
		for os.Getppid() == parent {
			time.Sleep(time.Second)
		}
		os.Exit(1)
	}()
}
