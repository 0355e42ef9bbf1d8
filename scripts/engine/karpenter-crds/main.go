// Command karpenter-crds writes Karpenter's CustomResourceDefinitions, as its Go library exports them, to a folder.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/aws/karpenter-provider-aws/pkg/apis"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: karpenter-crds FOLDER")
		os.Exit(2)
	}
	for name, content := range map[string][]byte{
		"karpenter.k8s.aws_ec2nodeclasses.yaml": apis.EC2NodeClassCRD,
		"karpenter.sh_nodepools.yaml":           apis.NodePoolCRD,
		"karpenter.sh_nodeclaims.yaml":          apis.NodeClaimCRD,
		"karpenter.sh_nodeoverlays.yaml":        apis.NodeOverlayCRD,
	} {
		if err := os.WriteFile(filepath.Join(os.Args[1], name), content, 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "karpenter-crds:", err)
			os.Exit(1)
		}
	}
}
