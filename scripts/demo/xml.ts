/** The attributes of a row in order; undefined ones are omitted. */
export type Row = Record<string, string | number | undefined>;

/**
 * Formats a file of a data dump, one row per line. Line breaks in values become character references, because parsers
 * would turn them into spaces.
 */
export function formatXmlFile(root: string, rows: Row[]): string {
  const lines = rows.map((row) => {
    const attributes = Object.entries(row).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}="${escape(String(value))}"`],
    );
    return `  <row ${attributes.join(' ')} />`;
  });
  return [`<?xml version="1.0" encoding="utf-8"?>`, `<${root}>`, ...lines, `</${root}>`, ''].join('\n');
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
};

function escape(text: string): string {
  return text.replace(/[&<>"\t\n\r]/g, (character) => entities[character] ?? character);
}
