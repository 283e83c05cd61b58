"""Chat models behind one small protocol: provider strings, one client per endpoint, readable
replies."""
