// Command pulumi-language-python is the Python language host of the sandbox's own engine.
//
// Pulumi's own host is not served as a Go module, so a machine that reaches only the Go proxy cannot build it.
// This one answers the part of the LanguageRuntime service that running programs and policy packs needs; a project
// or a pack names its environment with the `virtualenv` option, as with Pulumi's own host.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
)

func main() {
	// The engine passes these to every language host; tracing is not offered here.
	flag.String("tracing", "", "accepted and ignored")
	flag.Bool("logflow", false, "accepted and ignored")
	flag.String("root", "", "accepted and ignored: each request names its own folders")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "pulumi-language-python: the engine's address is missing; this program is started by pulumi")
		os.Exit(2)
	}

	host := newHost(flag.Arg(0))
	exitWithParent(func() {
		host.stop()
		// The programs' processes are ended by now or by their own next call to the engine.
		time.Sleep(time.Second)
		os.Exit(1)
	})
	cancel := make(chan bool)
	go func() {
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
		<-signals
		host.stop()
		close(cancel)
	}()
	handle, err := rpcutil.ServeWithOptions(rpcutil.ServeOptions{
		Cancel: cancel,
		Init: func(server *grpc.Server) error {
			pulumirpc.RegisterLanguageRuntimeServer(server, host)
			return nil
		},
	})
	if err != nil {
		fmt.Fprintf(os.Stderr, "pulumi-language-python: %v\n", err)
		os.Exit(1)
	}
	fmt.Printf("%d\n", handle.Port)
	if err := <-handle.Done; err != nil {
		fmt.Fprintf(os.Stderr, "pulumi-language-python: %v\n", err)
		os.Exit(1)
	}
}
