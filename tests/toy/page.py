"""The paper of the toy claims."""

from dpbandits.pages import Page

page = Page("toy", "Claims for Tests", "Nobody", "nowhere")
