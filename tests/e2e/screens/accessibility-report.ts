import type { Page } from '@playwright/test';
import { colorRules, type Violation, findViolations } from '#tests/e2e/support/accessibility.ts';

/** A violation in a state of a screen. */
export type Finding = Violation & { state: string; look: string };

/**
 * Checks a state of a screen.
 * @param whole checks all rules; otherwise only those that depend on the theme.
 */
export async function findViolationsInState(
  page: Page,
  { state, look, whole }: { state: string; look: string; whole: boolean },
): Promise<Finding[]> {
  const violations = await findViolations(page, { rules: whole ? undefined : colorRules });
  return violations
    .filter(({ rule }) => !isExpectedWhileLoading(rule, state))
    .map((violation) => ({ ...violation, state, look }));
}

/** The heading of a page comes with its data. */
function isExpectedWhileLoading(rule: string, state: string): boolean {
  return rule === 'page-has-heading-one' && state.endsWith(' loading');
}

/** Formats a table with a row per rule and state, then one element per rule. */
export function formatFindings(findings: readonly Finding[]): string {
  const rows = new Map<string, { cells: string[]; looks: Set<string>; count: number }>();
  for (const { rule, impact, isWcag, state, look, elements } of findings) {
    const cells = [rule, isWcag ? 'WCAG' : 'practice', impact, state];
    const row = rows.get(cells.join()) ?? { cells, looks: new Set(), count: 0 };
    row.looks.add(look);
    row.count += elements.length;
    rows.set(cells.join(), row);
  }
  const head = ['rule', 'of', 'impact', 'state', 'elements', 'looks'];
  const body = [...rows.values()].map(({ cells, looks, count }) => [
    ...cells,
    String(count),
    [...looks].join(', '),
  ]);
  const examples = new Map(
    findings.map(({ rule, why, elements }) => [rule, [rule, why, ...elements.slice(0, 3)].join('\n')]),
  );
  return `${aligned([head, ...body.toSorted((one, other) => one.join().localeCompare(other.join()))])}\n\n${[...examples.values()].join('\n\n')}`;
}

function aligned(rows: readonly string[][]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
