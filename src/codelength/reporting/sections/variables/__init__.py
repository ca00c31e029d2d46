"""Variables ranked by bits about the class."""
