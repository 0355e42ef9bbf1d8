//go:build tools

// Package tools pins the main package that the build compiles.
package tools

import _ "sigs.k8s.io/kwok/cmd/kwok"
