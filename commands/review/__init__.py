"""`fathom review`: what is asked of people, in a terminal and on a page."""
