/**
 * How a page for a member carries the first answers of the API: each in an element
 * `<script type="application/json" data-answer="/api/…">` with its body, and the position of the stream of events it had.
 */
export const responseAttribute = 'data-answer';
export const positionAttribute = 'data-position';
