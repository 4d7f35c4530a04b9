"""API keys: the credentials by which programs reach a server. Only an administrator makes and ends them."""
