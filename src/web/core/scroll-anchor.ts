/**
 * Keeps what one reads in its place when the page grows or shrinks above it, in browsers that do not do so themselves
 * (CSS scroll anchoring, which WebKit does not have). It corrects before the change is painted: observers of sizes run
 * between layout and paint.
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
    // At the very top, what comes in is to be seen.
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
    const now = document.documentElement.scrollHeight;
    // A page that got too short for its position is scrolled by the browser, before its size is observed.
    const tooShort = now < height && lastScrollY > now - window.innerHeight;
    if (tooShort) correct();
    else remember();
  };
  window.addEventListener('scroll', scrolled, { passive: true });
  for (const event of ['pointerdown', 'keydown'])
    window.addEventListener(event, touch, { capture: true, passive: true });
  new ResizeObserver(correct).observe(document.body);
}

/** An element that may be read, and where it stood, in pixels from the top of the window. */
type Anchor = { element: Element; top: number };

/** One that goes, such as a deleted answer, leaves its place to the next. */
const maxAnchors = 20;

const anchorSelector = 'main :is(article, section, h1, h2, h3, p, li, pre, blockquote, form)';

/**
 * What was touched last, since it may open something below it; then the first elements of the content whose upper edge
 * is in view; then one that fills the window.
 */
function anchorsInView(touched: Element | null): Anchor[] {
  const main = document.querySelector('main');
  const found: Anchor[] = [];
  let filling: Anchor | undefined;
  if (touched?.isConnected === true && main?.contains(touched) === true) {
    const { top, bottom } = touched.getBoundingClientRect();
    if (bottom > 0 && top < window.innerHeight) found.push({ element: touched, top });
  }
  for (const element of document.querySelectorAll(anchorSelector)) {
    const { top, bottom } = element.getBoundingClientRect();
    if (top > window.innerHeight || found.length === maxAnchors) break;
    if (bottom <= Math.max(0, top)) continue;
    if (top >= 0) found.push({ element, top });
    else filling = { element, top };
  }
  return filling === undefined ? found : [...found, filling];
}
