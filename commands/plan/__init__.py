"""`fathom plan`: what a launch would ask, cost and take."""
