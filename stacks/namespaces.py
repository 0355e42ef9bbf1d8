"""Section `namespaces`: where workloads live."""
