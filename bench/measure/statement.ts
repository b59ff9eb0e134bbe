/** What JSON can say. */
export type Value = string | number | boolean | null | Value[] | { readonly [key: string]: unknown };

/** A statement as the server sent it; named where it is kept prepared. */
export type Statement = { text: string; values: Value[]; name?: string };

/** What JSON makes of a Buffer, as one again; undefined for anything else. */
export function bufferIn(value: Value): Buffer | undefined {
  if (typeof value !== 'object' || value === null || !('type' in value) || value['type'] !== 'Buffer')
    return undefined;
  return Buffer.from(value['data'] as number[]);
}
