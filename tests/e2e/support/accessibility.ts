import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

/** What breaks a rule, and the elements that do. */
export type Violation = { rule: string; impact: string; elements: string[]; why: string; isWcag: boolean };

/** The rules that depend on colours, which are all that a theme changes. */
export const colorRules: readonly string[] = ['color-contrast', 'link-in-text-block'];

/**
 * What breaks a rule of WCAG 2.0 to 2.2, levels A and AA, or a best practice.
 * @param within a selector: looks at that part of the page only. @param rules looks at these only.
 */
export async function findViolations(
  page: Page,
  { within, rules }: { within?: string; rules?: readonly string[] | undefined } = {},
): Promise<Violation[]> {
  const found = await analyze(page, within, rules);
  if (!found.some(({ rule }) => rule === 'target-size')) return found;
  // Half under a bar, a target seems smaller than it is: a page that is not scrolled has none there.
  const top = await page.evaluate(() => {
    const { scrollY } = window;
    window.scrollTo(0, 0);
    return scrollY;
  });
  const targets = await analyze(page, within, ['target-size']);
  await page.evaluate((top) => window.scrollTo(0, top), top);
  return [...found.filter(({ rule }) => rule !== 'target-size'), ...targets];
}

/** Fails with what breaks a rule, and where. @param colours looks at what the theme changes. */
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

/** Waits until nothing fades or moves but what does so for ever: half faded in, a text has less contrast than it will have. */
async function animationsFinished(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const isMoving = ({ playState, timeline, effect }: Animation) =>
      playState === 'running' &&
      // What follows the scroll position runs for ever as well.
      timeline === document.timeline &&
      effect?.getComputedTiming().endTime !== Infinity;
    // What was opened just now begins to fade in a frame or two later.
    for (let quietFrames = 0; quietFrames < 3;) {
      await new Promise(requestAnimationFrame);
      quietFrames = document.getAnimations().some(isMoving) ? 0 : quietFrames + 1;
    }
  });
}

async function analyze(page: Page, within?: string, rules?: readonly string[]): Promise<Violation[]> {
  await animationsFinished(page);
  // Pages have no frames, so that there is nothing to collect in an empty page of its own.
  const axe = new AxeBuilder({ page }).setLegacyMode();
  // Targets are a rule of WCAG 2.2, which axe has switched off.
  if (rules === undefined) axe.options({ rules: { 'target-size': { enabled: true } } });
  else axe.withRules([...rules]);
  if (within !== undefined) axe.include(within);
  const { violations } = await axe.analyze();
  return violations.map(({ id, impact, nodes, tags }) => ({
    rule: id,
    impact: impact ?? 'unknown',
    elements: nodes.map(({ html }) => html),
    why: nodes[0]?.failureSummary ?? '',
    isWcag: tags.some((tag) => tag.startsWith('wcag')),
  }));
}
