"""Problems, put into scenarios and written anew."""
