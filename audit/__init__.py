"""Statistical checks of claims, and the tools that users run: profiles, the command line, the pytest plugin."""
