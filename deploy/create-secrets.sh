#!/bin/sh
# Writes random passwords for compose.cluster.yaml to ./secrets. Changes nothing that exists: the passwords of a database
# that exists would no longer be right.
set -eu
cd "$(dirname "$0")"
if [ -e secrets ]; then
  echo 'The directory secrets exists and is left unchanged.' >&2
  exit 1
fi
random() {
  od -An -N 32 -t x1 /dev/urandom | tr -d ' \n'
}
postgres=$(random)
parley=$(random)
replicator=$(random)
# An interrupted run left it.
rm -rf secrets.new
# Only the owner can enter the directory. The files are readable, because the users in the containers are others.
mkdir -m 0700 secrets.new
umask 022
printf '%s' "$postgres" > secrets.new/postgres_password
printf '%s' "$parley" > secrets.new/parley_password
printf '%s' "$replicator" > secrets.new/replicator_password
printf 'postgres://parley:%s@primary:5432/parley' "$parley" > secrets.new/database_url
printf 'postgres://parley:%s@replica:5432/parley' "$parley" > secrets.new/database_replica_urls
random > secrets.new/metrics_token
mv secrets.new secrets
