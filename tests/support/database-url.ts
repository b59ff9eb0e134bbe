import type pg from 'pg';

/** Formats a connection as DATABASE_URL; a host that is a directory contains the socket. */
export function toDatabaseUrl({
  connectionString,
  user,
  password,
  host = '',
  port,
  database,
}: pg.ClientConfig): string {
  if (connectionString !== undefined) {
    const url = new URL(connectionString);
    url.password = String(password ?? url.password);
    return url.href;
  }
  const [name, secret, directory] = [user, password, host].map((part) => encodeURIComponent(String(part)));
  return `postgres://${name}:${secret}@localhost/${database}?host=${directory}&port=${port}`;
}
