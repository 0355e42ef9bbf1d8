"""`./scripts/preflight`: what AWS says about an environment before anything is made. One concern in each file."""
