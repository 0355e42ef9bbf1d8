"""`pulumi-resource-eks` of the sandbox: the components of pulumi-eks, as far as this stack uses them.

It registers the children that the real one registers (pulumi-eks 4; a recorded preview of it is the test), so that
policies and the engine see the same resources, and answers with the kubeconfig of the local Kubernetes. An input that
it does not model is refused. Started by Pulumi as `python -m scripts.sandboxing.eks ENGINE_ADDRESS`.
"""
