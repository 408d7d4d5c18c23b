"""The store on PostgreSQL, embedded or not."""
