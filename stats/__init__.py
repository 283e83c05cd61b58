"""Pure arithmetic of the measurements: accuracy, survival, Expected Valid Depth. Imports only
`fathom.state`."""
