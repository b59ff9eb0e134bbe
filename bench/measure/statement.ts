/** A JSON value. */
export type Value = string | number | boolean | null | Value[] | { readonly [key: string]: unknown };

/** A statement as the server sent it; `name` is set for prepared statements. */
export type Statement = { text: string; values: Value[]; name?: string };

/** Restores a Buffer from its JSON; undefined for other values. */
export function bufferIn(value: Value): Buffer | undefined {
  if (typeof value !== 'object' || value === null || !('type' in value) || value['type'] !== 'Buffer')
    return undefined;
  return Buffer.from(value['data'] as number[]);
}
