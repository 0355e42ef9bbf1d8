//go:build tools

// Package tools pins the main package that the build compiles.
package tools

import _ "go.etcd.io/etcd/server/v3"
