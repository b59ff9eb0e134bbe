/**
 * The header of a request that was made some time ago, with the id of the member who made it: the server refuses it
 * (401, 'signed-out') when somebody else is signed in by now.
 */
export const madeByHeader = 'parley-made-by';
