"""Problems, put into scenarios and written anew: specs, steps, results."""
