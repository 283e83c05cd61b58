"""The Questioner: writes questions, and takes them apart."""
