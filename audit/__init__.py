"""The statistical judge, and the shell: profiles, cases, the command line, the pytest plugin."""
