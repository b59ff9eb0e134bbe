#!/bin/bash
# Run by the image of PostgreSQL when it creates the database: the roles of Parley and of the replica.
set -euo pipefail
parley=$(< /run/secrets/parley_password)
replicator=$(< /run/secrets/replicator_password)
# The passwords do not appear in the arguments of a process.
psql --set ON_ERROR_STOP=1 --username postgres --dbname postgres << SQL
create role parley login password '$parley';
create database parley owner parley template template0 encoding 'UTF8' locale 'C' locale_provider builtin builtin_locale 'C.UTF-8';
create role replicator replication login password '$replicator';
SQL
echo 'host replication replicator all scram-sha-256' >> "$PGDATA/pg_hba.conf"
