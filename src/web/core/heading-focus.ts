let isRequested = false;

/** A navigation inside the app has ended: the next page heading to show up (or the one there already) takes the focus. */
export function requestHeadingFocus(): void {
  isRequested = true;
  const heading = document.querySelector<HTMLElement>('main h1[tabindex="-1"]');
  if (heading === null) return;
  isRequested = false;
  heading.focus({ preventScroll: true });
}

/** True once for each navigation. A page that has put the focus into its form already keeps it there. */
export function consumeHeadingFocusRequest(): boolean {
  const take = isRequested;
  isRequested = false;
  return take && !isField(document.activeElement);
}

function isField(element: Element | null): boolean {
  return element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
}
