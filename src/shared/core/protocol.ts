/**
 * A page for a member contains the first API responses, each in an element `<script type="application/json"
 * data-response="/api/…">` with its body and its position in the event stream.
 */
export const responseAttribute = 'data-response';
export const positionAttribute = 'data-position';

/**
 * The header of a queued offline request, with the id of the member who made it. The server refuses the request (401,
 * 'signed-out') if another member is signed in.
 */
export const actingMemberHeader = 'parley-member';
