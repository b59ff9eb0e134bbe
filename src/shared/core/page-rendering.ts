/** What the server knows about a page that it renders. */
export type PageToRender = {
  /** The scheme and host of the site: 'https://ask.example.org'. */
  origin: string;
  /** The address without the host: '/question/7?sort=newest'. */
  path: string;
  /** Language code (BCP 47) of the interface. */
  language: string;
  /** Milliseconds since 1970. Relative times count from it. */
  time: number;
  /** The bodies of the API responses that the page needs, as JSON by their URL: '/api/session'. */
  responses: ReadonlyMap<string, string>;
};

/**
 * Renders the content of the element `#root`; null if the browser has to render the page.
 * The web app exports it as `renderPage` (src/web/render-page.tsx).
 */
export type RenderPage = (page: PageToRender) => Promise<string | null>;
