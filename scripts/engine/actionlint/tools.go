//go:build tools

// Package tools pins the main package that the build compiles.
package tools

import _ "github.com/rhysd/actionlint/cmd/actionlint"
