"""What an account needs before the first `pulumi up`: the state, its key, and the roles of CI."""
