package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// interpreter finds the Python of a program or pack: its `virtualenv` option, relative to the project's or pack's
// root, or the `.venv` that the uv toolchain implies, else the python3 on PATH.
func interpreter(info *pulumirpc.ProgramInfo) (string, error) {
	options := info.GetOptions().GetFields()
	folder := options["virtualenv"].GetStringValue()
	if folder == "" && options["toolchain"].GetStringValue() == "uv" {
		folder = ".venv"
	}
	if folder == "" {
		return exec.LookPath("python3")
	}
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(info.GetRootDirectory(), folder)
	}
	python := filepath.Join(folder, "bin", "python")
	if _, err := os.Stat(python); err != nil {
		return "", fmt.Errorf("the `virtualenv` option names %s, which holds no bin/python: run ./scripts/sandbox status "+
			"once, or change the option: %w", folder, err)
	}
	return python, nil
}
