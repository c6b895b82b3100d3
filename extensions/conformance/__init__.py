"""Checks any implementation: objects, loops, programs in any language, and logs, held against a reference policy."""
