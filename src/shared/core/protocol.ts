/**
 * How a page for a member carries the first answers of the API: each in an element
 * `<script type="application/json" data-answer="/api/…">` with its body, and the position of the stream of events it had.
 */
export const responseAttribute = 'data-answer';
export const positionAttribute = 'data-position';

/**
 * The header of a request that was made some time ago, with the id of the member who made it: the server refuses it
 * (401, 'signed-out') when somebody else is signed in by now.
 */
export const madeByHeader = 'parley-made-by';
