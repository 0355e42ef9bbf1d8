//go:build tools

// Package tools pins the main package that the build compiles.
package tools

import _ "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"
