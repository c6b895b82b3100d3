"""Statistical checks of claims, and what users run: profiles, the command line, the pytest plugin."""
