package main

import (
	"context"
	"io"
	"strconv"

	"github.com/pulumi/pulumi/sdk/v3"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// runPolicyPack starts `python -m pulumi.policy ENGINE PACK` once the engine has sent the stack's configuration.
func (h *host) runPolicyPack(
	python string, req *pulumirpc.RunPluginRequest, ctx context.Context, stdout, stderr io.Writer,
) error {
	proxy, packStdout, err := sdk.NewPolicyProxy(ctx, stdout)
	if err != nil {
		return err
	}
	stack, err := proxy.AwaitConfiguration(ctx)
	if err != nil {
		return err
	}
	config, secretKeys, err := configEnv(stack.GetConfig(), stack.GetConfigSecretKeys())
	if err != nil {
		return err
	}
	args := append([]string{"-u", "-m", "pulumi.policy", h.engineAddress()}, req.GetInfo().GetProgramDirectory())
	cmd := h.command(python, args, req.GetPwd())
	cmd.Env = append(cmd.Env, req.GetEnv()...)
	cmd.Env = append(cmd.Env, config, secretKeys)
	if stack != nil {
		cmd.Env = append(cmd.Env,
			"PULUMI_PROJECT="+stack.GetProject(), "PULUMI_STACK="+stack.GetStack(),
			"PULUMI_ORGANIZATION="+stack.GetOrganization(), "PULUMI_DRY_RUN="+strconv.FormatBool(stack.GetDryRun()))
	}
	cmd.Stdout, cmd.Stderr = packStdout, stderr
	if err := cmd.Start(); err != nil {
		proxy.Abort(err)
		return err
	}
	return proxy.Attach(ctx, cmd)
}
