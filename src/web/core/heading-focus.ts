let isRequested = false;

/** Called after a navigation inside the app: the heading of the page takes the focus, now or when it is rendered. */
export function requestHeadingFocus(): void {
  isRequested = true;
  const heading = document.querySelector<HTMLElement>('main h1[tabindex="-1"]');
  if (heading === null) return;
  isRequested = false;
  heading.focus({ preventScroll: true });
}

/** Returns true once per navigation. A page that has put the focus into its form calls it to leave the focus there. */
export function consumeHeadingFocusRequest(): boolean {
  const take = isRequested;
  isRequested = false;
  return take && !isField(document.activeElement);
}

function isField(element: Element | null): boolean {
  return element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
}
