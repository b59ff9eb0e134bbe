/** A row's attributes, in their order; undefined ones are left out. */
export type Row = Record<string, string | number | undefined>;

/** A file as data dumps have them: one row a line. Line breaks in values become references, or a parser would make spaces of them. */
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
