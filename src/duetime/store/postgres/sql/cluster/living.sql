-- Whether any node may be alive.
SELECT EXISTS (SELECT FROM leases WHERE until > clock_timestamp())
