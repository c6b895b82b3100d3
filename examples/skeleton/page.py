"""The paper of this page. It gets a place when it joins the ledger, and not before."""

from dpbandits.pages import Page

page = Page("skeleton", "Following the First Impression", "Nobody", "nowhere, never")
