//go:build tools

// Package tools pins the main package that the build compiles.
package tools

import _ "helm.sh/helm/v3/cmd/helm"
