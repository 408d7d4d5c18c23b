-- Nobody is alive: from now on leases are kept elsewhere.
UPDATE cluster SET coordinator = $1
