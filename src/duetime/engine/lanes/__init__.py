"""Jobs with one ordering key: one in flight at a time, in order. DESIGN.md explains how."""
