"""How each method's runs are shown."""
