"""Checks any implementation: objects, loops, programs in any language, and logs, compared with a reference policy."""
