"""What a node does besides jobs: reports, health, retention, cluster status and standby."""
