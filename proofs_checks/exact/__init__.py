"""How private, exactly? Laws of released transcripts, and the privacy profiles that they give. No samples."""
