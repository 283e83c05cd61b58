"""Reading what an answer says, without asking anybody: letters, numbers, final answers."""
