import { expect, type Locator } from '@playwright/test';
import { sizes } from '#tests/e2e/screens/states.ts';

/** Maximum distance between an overlay and its opener, in CSS pixels. */
const maxDistancePx = 16;

/**
 * Expects an overlay (menu, dialog, list, message, tooltip) to be completely in the window, with nothing above it and
 * close to its opener. Does not scroll. Retries, since overlays move while they open.
 * @param opener for overlays that belong to a control: a menu, a popover, a list of suggestions.
 */
export async function expectInView(element: Locator, { opener }: { opener?: Locator } = {}): Promise<void> {
  const name = String(element);
  await expect(element, name).toBeVisible();
  await expect
    .poll(
      async () => {
        const from = opener === undefined ? null : await opener.elementHandle();
        return element.evaluate(findPlacementProblems, { opener: from, nearby: maxDistancePx });
      },
      { message: name },
    )
    .toEqual([]);
}

/** Checks the same in a wide window and on a phone, for overlays that take many steps to open. */
export async function expectInViewAtBothSizes(element: Locator): Promise<void> {
  const page = element.page();
  const before = page.viewportSize();
  for (const { width, height } of sizes) {
    await page.setViewportSize({ width, height });
    await expectInView(element);
  }
  if (before !== null) await page.setViewportSize(before);
}

/** Runs in the page: returns the problems with the position of an element. */
function findPlacementProblems(
  element: Element,
  { opener, nearby }: { opener: Element | null; nearby: number },
): string[] {
  const mistakes: string[] = [];
  const round = ({ left, top, right, bottom }: DOMRect) =>
    [left, top, right, bottom].map((side) => Math.round(side)).join(' ');
  const { clientWidth: width } = document.documentElement;
  const height = window.innerHeight;
  const box = element.getBoundingClientRect();
  const at = `${round(box)} in ${width} x ${height}`;
  if (box.width < 1 || box.height < 1) mistakes.push(`it has no size: ${at}`);
  // Allows fractions of a pixel.
  const isInside = ({ left, top, right, bottom }: DOMRect) =>
    left > -1 && top > -1 && right < width + 1 && bottom < height + 1;
  if (!isInside(box)) mistakes.push(`it is not in the window: ${at}`);

  // The middle of the element and of each edge: a bar may cover part of it.
  const inset = 4;
  const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
  const points = {
    middle: [x, y],
    top: [x, box.top + inset],
    bottom: [x, box.bottom - inset],
    left: [box.left + inset, y],
    right: [box.right - inset, y],
  };
  for (const [place, [left = 0, top = 0]] of Object.entries(points)) {
    const seen = document.elementFromPoint(left, top);
    if (seen === null || !element.contains(seen))
      mistakes.push(`at its ${place} is ${seen?.outerHTML.slice(0, 120) ?? 'nothing'}: ${at}`);
  }

  // All controls in the element must be in the window, unless they are in a scrollable area.
  const scrolls = (inner: Element | null): boolean => {
    if (inner === null || inner === element.parentElement) return false;
    return (
      (inner.scrollHeight > inner.clientHeight && /auto|scroll/u.test(getComputedStyle(inner).overflowY)) ||
      scrolls(inner.parentElement)
    );
  };
  for (const control of element.querySelectorAll(
    'button, a[href], input, select, textarea, [role="option"]',
  )) {
    const place = control.getBoundingClientRect();
    if (place.width > 1 && !isInside(place) && !scrolls(control.parentElement))
      mistakes.push(`out of the window: ${control.outerHTML.slice(0, 120)}`);
  }

  if (opener !== null) {
    const origin = opener.getBoundingClientRect();
    const across = Math.max(origin.left - box.right, box.left - origin.right, 0);
    const down = Math.max(origin.top - box.bottom, box.top - origin.bottom, 0);
    if (!isInside(origin)) mistakes.push(`its opener is not in the window: ${round(origin)}`);
    if (across > nearby || down > nearby)
      mistakes.push(`it is far from its opener at ${round(origin)}: ${at}`);
  }
  return mistakes;
}
