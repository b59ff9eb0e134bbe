import { expect, type Page } from '@playwright/test';
import axe, { type RunOptions } from 'axe-core';

/** A violated rule and its elements. */
export type Violation = { rule: string; impact: string; elements: string[]; why: string; isWcag: boolean };

/** The rules that depend on colours, the only ones that a theme can change. */
export const colorRules: readonly string[] = ['color-contrast', 'link-in-text-block'];

/**
 * Finds violations of WCAG 2.0 to 2.2, levels A and AA, and of best practices.
 * @param within a selector: checks only that part of the page.
 * @param rules checks only these rules.
 */
export async function findViolations(
  page: Page,
  { within, rules }: { within?: string; rules?: readonly string[] | undefined } = {},
): Promise<Violation[]> {
  const violations = await analyze(page, within, rules);
  if (!violations.some(({ rule }) => rule === 'target-size')) return violations;
  // axe measures a target that a sticky bar covers in half as too small. At the top of the page the bar covers none.
  const top = await page.evaluate(() => {
    const { scrollY } = window;
    window.scrollTo(0, 0);
    return scrollY;
  });
  const targets = await analyze(page, within, ['target-size']);
  await page.evaluate((top) => window.scrollTo(0, top), top);
  return [...violations.filter(({ rule }) => rule !== 'target-size'), ...targets];
}

/**
 * Fails with the violations and their elements.
 * @param colours checks only the rules that a theme can change.
 */
export async function expectAccessible(
  page: Page,
  { look = '', colours = false, ...part }: { look?: string; within?: string; colours?: boolean } = {},
): Promise<void> {
  if (part.within === undefined) await expect(page.locator('h1')).not.toHaveCount(0);
  const violations = await findViolations(page, { ...part, rules: colours ? colorRules : undefined });
  expect(
    violations.map(({ rule, elements, why }) => `${look} ${rule}: ${elements.join(' ')} ${why}`),
  ).toEqual([]);
}

/** Waits until finite animations end: text that is fading in has less contrast. */
async function animationsFinished(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const isMoving = ({ playState, timeline, effect }: Animation) =>
      playState === 'running' &&
      // Animations driven by the scroll position never end either.
      timeline === document.timeline &&
      effect?.getComputedTiming().endTime !== Infinity;
    // An element that just opened starts to fade in a frame or two later.
    for (let quietFrames = 0; quietFrames < 3;) {
      await new Promise(requestAnimationFrame);
      quietFrames = document.getAnimations().some(isMoving) ? 0 : quietFrames + 1;
    }
  });
}

async function analyze(page: Page, within?: string, rules?: readonly string[]): Promise<Violation[]> {
  await animationsFinished(page);
  // Once per document: this takes longer than most analyses.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const options: RunOptions = {
    // Details of what passes take a fifth of the time.
    resultTypes: ['violations'],
    // Target size is a rule of WCAG 2.2 that axe does not enable by default.
    ...(rules === undefined
      ? { rules: { 'target-size': { enabled: true } } }
      : { runOnly: { type: 'rule', values: [...rules] } }),
  };
  const { violations } = await page.evaluate(
    ([part, given]) =>
      (window as unknown as { axe: typeof axe }).axe.run(
        part === undefined ? document : { include: [[part]] },
        given,
      ),
    [within, options] as const,
  );
  return violations.map(({ id, impact, nodes, tags }) => ({
    rule: id,
    impact: impact ?? 'unknown',
    elements: nodes.map(({ html }) => html),
    why: nodes[0]?.failureSummary ?? '',
    isWcag: tags.some((tag) => tag.startsWith('wcag')),
  }));
}
