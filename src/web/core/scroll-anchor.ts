/**
 * Holds the reading position when the page grows or shrinks above it, in browsers without CSS scroll anchoring
 * (WebKit). It corrects the scroll position before the change is painted: resize observers run between layout and
 * paint.
 */
export function installScrollAnchoring(): void {
  let anchors: Anchor[] = [];
  let touched: Element | null = null;
  let lastScrollY = 0;
  let height = 0;
  const remember = () => {
    anchors = anchorsInView(touched);
    lastScrollY = window.scrollY;
    height = document.documentElement.scrollHeight;
  };
  const correct = () => {
    const anchor = anchors.find(({ element }) => element.isConnected);
    // At the very top, new content should be visible.
    if (anchor !== undefined && window.scrollY > 0) {
      const moved = anchor.element.getBoundingClientRect().top - anchor.top;
      if (Math.abs(moved) >= 1) window.scrollBy({ top: moved, behavior: 'instant' });
    }
    remember();
  };
  const touch = ({ target }: Event) => {
    touched = target instanceof Element ? target : null;
    remember();
  };
  const scrolled = () => {
    const newHeight = document.documentElement.scrollHeight;
    // The browser scrolls a page that became too short for its position before its size is observed.
    const tooShort = newHeight < height && lastScrollY > newHeight - window.innerHeight;
    if (tooShort) correct();
    else remember();
  };
  window.addEventListener('scroll', scrolled, { passive: true });
  for (const event of ['pointerdown', 'keydown'])
    window.addEventListener(event, touch, { capture: true, passive: true });
  new ResizeObserver(correct).observe(document.body);
}

/** An element and its former position in pixels from the top of the window. */
type Anchor = { element: Element; top: number };

/** If one anchor is removed, such as a deleted answer, the next one is used. */
const maxAnchors = 20;

const anchorSelector = 'main :is(article, section, h1, h2, h3, p, li, pre, blockquote, form)';

/**
 * The anchor candidates: the element touched last, since it may open something below it; then the first elements of the
 * content whose top edge is in view; then one that fills the window.
 */
function anchorsInView(touched: Element | null): Anchor[] {
  const main = document.querySelector('main');
  const anchors: Anchor[] = [];
  let filling: Anchor | undefined;
  if (touched?.isConnected === true && main?.contains(touched) === true) {
    const { top, bottom } = touched.getBoundingClientRect();
    if (bottom > 0 && top < window.innerHeight) anchors.push({ element: touched, top });
  }
  for (const element of document.querySelectorAll(anchorSelector)) {
    const { top, bottom } = element.getBoundingClientRect();
    if (top > window.innerHeight || anchors.length === maxAnchors) break;
    if (bottom <= Math.max(0, top)) continue;
    if (top >= 0) anchors.push({ element, top });
    else filling = { element, top };
  }
  return filling === undefined ? anchors : [...anchors, filling];
}
