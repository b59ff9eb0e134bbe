/** Font families in the notation of CSS: quoted names of letters, digits, blanks and hyphens, or single words. */
const family = String.raw`(?:'[A-Za-z\d][A-Za-z\d -]{0,39}'|[A-Za-z][A-Za-z\d-]{0,39})`;
const families = String.raw`${family}(?:,\s*${family})*`;
const corner = '(?:1?\\d|2[0-4])px';

/**
 * The variables of src/web/app/theme.css that admins may set, with a pattern for their values. No value contains a
 * character that ends a declaration, a rule or an element, or loads a file. Colors are not in the list, because their
 * contrast is checked (accent.ts).
 */
const cssVariables: Readonly<Record<string, string>> = {
  radius: corner,
  'radius-large': corner,
  column: '(?:3[6-9]|[45]\\d|60)rem',
  measure: '(?:[5-7]\\d|80)ch',
  sans: families,
  serif: families,
  mono: families,
};

const lines = Object.entries(cssVariables).map(([name, value]) => String.raw`${name}:\s*${value}`);

/** A line such as `--radius: 12px`. */
export const cssVariablePattern = new RegExp(`^--(?:${lines.join('|')})$`, 'u');
