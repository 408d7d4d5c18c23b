"""Workers: processes of users that pull the runs of queues, hold them by a lease of their own, and settle them."""
