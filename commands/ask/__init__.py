"""`fathom ask`: its options, what was asked for, and what is looked up before."""
