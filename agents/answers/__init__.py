"""Reading what an answer says: the options it chooses, its number, its final answer."""
