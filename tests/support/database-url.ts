import type pg from 'pg';

/** The same connection as DATABASE_URL gives it; a host that is a folder holds the socket. */
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
  const [name, secret, folder] = [user, password, host].map((part) => encodeURIComponent(String(part)));
  return `postgres://${name}:${secret}@localhost/${database}?host=${folder}&port=${port}`;
}
