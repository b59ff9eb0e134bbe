/** A log sequence number: a position in PostgreSQL's write-ahead log, as a number that can be compared. */
export type Lsn = bigint;

/** Parses PostgreSQL's text form, such as '16/B374D848'. Returns null for anything else. */
export function parseLsn(text: string | null | undefined): Lsn | null {
  const parts = /^([\dA-F]{1,8})\/([\dA-F]{1,8})$/i.exec(text ?? '');
  if (parts === null) return null;
  return (BigInt(`0x${parts[1]}`) << 32n) | BigInt(`0x${parts[2]}`);
}

/** The later of two positions. Null means the beginning of the log. */
export function laterLsn(one: Lsn | null, other: Lsn | null): Lsn | null {
  if (one === null || other === null) return one ?? other;
  return one > other ? one : other;
}
