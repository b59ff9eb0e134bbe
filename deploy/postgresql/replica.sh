#!/bin/bash
# The entry point of the replica: copies the primary into an empty volume, then runs PostgreSQL as its standby.
set -euo pipefail
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  # What an interrupted copy left.
  find "$PGDATA" -mindepth 1 -delete
  primary="host=primary user=replicator password=$(< /run/secrets/replicator_password)"
  slot=(--create-slot --slot replica)
  exists=$(psql "$primary dbname=postgres" -Atc "select count(*) from pg_replication_slots where slot_name = 'replica'")
  if [ "$exists" = 1 ]; then slot=(--slot replica); fi
  # PG_VERSION exists only when the copy is complete.
  mkdir -m 0700 "$PGDATA/new"
  pg_basebackup --dbname "$primary" --pgdata "$PGDATA/new" --write-recovery-conf --checkpoint fast "${slot[@]}"
  mv "$PGDATA/new/PG_VERSION" "$PGDATA/new.version"
  find "$PGDATA/new" -mindepth 1 -maxdepth 1 -exec mv -t "$PGDATA" {} +
  rmdir "$PGDATA/new"
  mv "$PGDATA/new.version" "$PGDATA/PG_VERSION"
  chmod 0700 "$PGDATA"
fi
exec "$@"
