package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/types/known/emptypb"
)

// alreadyExplained is the exit code with which the SDK's runner says that the user has been told what went wrong.
const alreadyExplained = 32

type host struct {
	pulumirpc.UnimplementedLanguageRuntimeServer

	mu     sync.Mutex
	engine string
	ctx    context.Context
	cancel context.CancelFunc
}

func newHost(engine string) *host {
	ctx, cancel := context.WithCancel(context.Background())
	return &host{engine: engine, ctx: ctx, cancel: cancel}
}

// stop ends every program and policy pack that this host started.
func (h *host) stop() { h.cancel() }

func (h *host) engineAddress() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.engine
}

// Handshake takes the engine's address; the folders come with each request.
func (h *host) Handshake(
	_ context.Context, req *pulumirpc.LanguageHandshakeRequest,
) (*pulumirpc.LanguageHandshakeResponse, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if req.EngineAddress != "" {
		h.engine = req.EngineAddress
	}
	return &pulumirpc.LanguageHandshakeResponse{}, nil
}

// GetRequiredPackages names none: the sandbox installs the plugins that the locked SDKs ask for beforehand.
func (h *host) GetRequiredPackages(
	context.Context, *pulumirpc.GetRequiredPackagesRequest,
) (*pulumirpc.GetRequiredPackagesResponse, error) {
	return &pulumirpc.GetRequiredPackagesResponse{}, nil
}

// GetRequiredPlugins is the older form of GetRequiredPackages.
func (h *host) GetRequiredPlugins(
	context.Context, *pulumirpc.GetRequiredPluginsRequest,
) (*pulumirpc.GetRequiredPluginsResponse, error) {
	return &pulumirpc.GetRequiredPluginsResponse{}, nil
}

// GetPluginInfo gives the version set at build time.
func (h *host) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{Version: version}, nil
}

// version is set by -ldflags.
var version = "0.0.0-dev"

// About describes the interpreter that programs run in.
func (h *host) About(ctx context.Context, req *pulumirpc.AboutRequest) (*pulumirpc.AboutResponse, error) {
	python, err := interpreter(req.GetInfo())
	if err != nil {
		return nil, err
	}
	out, err := exec.CommandContext(ctx, python, "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("%s --version: %w", python, err)
	}
	return &pulumirpc.AboutResponse{Executable: python, Version: strings.TrimPrefix(strings.TrimSpace(string(out)), "Python ")}, nil
}

// GetProgramDependencies lists the distributions installed in the program's environment.
func (h *host) GetProgramDependencies(
	ctx context.Context, req *pulumirpc.GetProgramDependenciesRequest,
) (*pulumirpc.GetProgramDependenciesResponse, error) {
	python, err := interpreter(req.GetInfo())
	if err != nil {
		return nil, err
	}
	const list = "import importlib.metadata as m, json; " +
		"print(json.dumps(sorted({(d.metadata['Name'], d.version) for d in m.distributions()})))"
	out, err := exec.CommandContext(ctx, python, "-c", list).Output()
	if err != nil {
		return nil, fmt.Errorf("list the packages of %s: %w", python, err)
	}
	var pairs [][2]string
	if err := json.Unmarshal(out, &pairs); err != nil {
		return nil, err
	}
	resp := &pulumirpc.GetProgramDependenciesResponse{}
	for _, pair := range pairs {
		resp.Dependencies = append(resp.Dependencies, &pulumirpc.DependencyInfo{Name: pair[0], Version: pair[1]})
	}
	return resp, nil
}

// InstallDependencies checks that the environment is there: installing is `./scripts/sandbox`'s job, from the lock.
func (h *host) InstallDependencies(
	req *pulumirpc.InstallDependenciesRequest, server pulumirpc.LanguageRuntime_InstallDependenciesServer,
) error {
	python, err := interpreter(req.GetInfo())
	if err != nil {
		return err
	}
	if out, err := exec.CommandContext(server.Context(), python, "-c", "import pulumi").CombinedOutput(); err != nil {
		return fmt.Errorf("the Pulumi SDK is not installed in %s: run ./scripts/sandbox status once, which installs "+
			"it from uv.lock, or `uv sync` yourself: %s", python, strings.TrimSpace(string(out)))
	}
	return nil
}

// Cancel ends what runs.
func (h *host) Cancel(context.Context, *emptypb.Empty) (*emptypb.Empty, error) {
	h.stop()
	return &emptypb.Empty{}, nil
}

// Run runs a program through the SDK's runner, which lies beside this binary.
func (h *host) Run(_ context.Context, req *pulumirpc.RunRequest) (*pulumirpc.RunResponse, error) {
	python, err := interpreter(req.GetInfo())
	if err != nil {
		return nil, err
	}
	runner, err := runnerPath()
	if err != nil {
		return nil, err
	}
	config, secretKeys, err := configEnv(req.GetConfig(), req.GetConfigSecretKeys())
	if err != nil {
		return nil, err
	}
	info := req.GetInfo()
	args := []string{
		"-u", runner,
		"--monitor", req.GetMonitorAddress(), "--engine", h.engineAddress(),
		"--project", req.GetProject(), "--stack", req.GetStack(), "--organization", req.GetOrganization(),
		"--root_directory", info.GetRootDirectory(), "--pwd", req.GetPwd(),
		"--dry_run", strconv.FormatBool(req.GetDryRun()), "--parallel", strconv.Itoa(int(req.GetParallel())),
		info.GetEntryPoint(),
	}
	cmd := h.command(python, append(args, req.GetArgs()...), req.GetPwd())
	cmd.Env = append(cmd.Env, config, secretKeys)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return &pulumirpc.RunResponse{}, nil
	case errors.As(err, &exit) && exit.ExitCode() == alreadyExplained:
		return &pulumirpc.RunResponse{Bail: true}, nil
	case errors.As(err, &exit):
		return &pulumirpc.RunResponse{Error: fmt.Sprintf("the program ended with exit code %d", exit.ExitCode())}, nil
	default:
		return &pulumirpc.RunResponse{Error: fmt.Sprintf("the program did not run: %v", err)}, nil
	}
}

// RunPlugin runs a policy pack or another Python plugin. The pack's library still expects its stack in the
// environment, hence the SDK's proxy, which waits for the stack's configuration and then attaches to the pack.
func (h *host) RunPlugin(
	req *pulumirpc.RunPluginRequest, server pulumirpc.LanguageRuntime_RunPluginServer,
) error {
	python, err := interpreter(req.GetInfo())
	if err != nil {
		return err
	}
	closer, stdout, stderr, err := rpcutil.MakeRunPluginStreams(server, false)
	if err != nil {
		return err
	}
	defer closer.Close()
	if req.GetKind() == "analyzer" {
		err = h.runPolicyPack(python, req, server.Context(), stdout, stderr)
	} else {
		cmd := h.command(python, append([]string{"-u", req.GetInfo().GetProgramDirectory()}, req.GetArgs()...), req.GetPwd())
		cmd.Env = append(cmd.Env, req.GetEnv()...)
		cmd.Stdout, cmd.Stderr = stdout, stderr
		err = cmd.Run()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code := int32(exit.ExitCode()) //nolint:gosec // an exit code fits
		return server.Send(&pulumirpc.RunPluginResponse{Output: &pulumirpc.RunPluginResponse_Exitcode{Exitcode: code}})
	}
	return err
}

// command starts in its own folder, with the interpreter's environment first on PATH, and dies with the host.
func (h *host) command(python string, args []string, pwd string) *exec.Cmd {
	cmd := exec.CommandContext(h.ctx, python, args...)
	cmd.Dir = pwd
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(python)+string(os.PathListSeparator)+os.Getenv("PATH"))
	return cmd
}

func runnerPath() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if self, err = filepath.EvalSymlinks(self); err != nil {
		return "", err
	}
	runner := filepath.Join(filepath.Dir(self), "pulumi-language-python-exec")
	if _, err := os.Stat(runner); err != nil {
		return "", fmt.Errorf("the SDK's runner is missing beside the language host: %w", err)
	}
	return runner, nil
}

// configEnv renders configuration for the SDK, which chokes on null: an empty map and an empty list are sent instead.
func configEnv(config map[string]string, secretKeys []string) (string, string, error) {
	if config == nil {
		config = map[string]string{}
	}
	if secretKeys == nil {
		secretKeys = []string{}
	}
	values, err := json.Marshal(config)
	if err != nil {
		return "", "", err
	}
	keys, err := json.Marshal(secretKeys)
	if err != nil {
		return "", "", err
	}
	return "PULUMI_CONFIG=" + string(values), "PULUMI_CONFIG_SECRET_KEYS=" + string(keys), nil
}
