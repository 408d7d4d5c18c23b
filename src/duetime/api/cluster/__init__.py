"""The cluster over HTTP, for administrators."""
