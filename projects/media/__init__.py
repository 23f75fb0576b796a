"""Images, sound and video that items refer to by name."""
