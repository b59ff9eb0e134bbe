/**
 * A page for a member contains the first API responses, each in an element `<script type="application/json"
 * data-response="/api/…">` with its body and its position in the event stream.
 */
export const responseAttribute = 'data-response';
export const positionAttribute = 'data-position';

/** The attribute of `#root` with the time at which the server rendered its content, in milliseconds since 1970. */
export const renderedAtAttribute = 'data-rendered-at';

/** The id of the `style` element with the style sheet of the site (shared/core/site-style.ts). */
export const siteStyleId = 'site-style';

/** The id of the `style` element with the styles of rendered elements, and their attribute with the number of the rule. */
export const pageStyleId = 'element-styles';
export const styleAttribute = 'data-style';

/**
 * The header of a write, with the id of the member who made it. The server refuses the request (401, 'signed-out') if
 * another member is signed in.
 */
export const actingMemberHeader = 'parley-member';

/** Cookies with choices that the server needs to render a page: a language code, and the order of answers. */
export const languageCookie = 'language';
export const answerSortCookie = 'answer-sort';
