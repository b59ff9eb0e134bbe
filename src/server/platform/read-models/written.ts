import { generateCookie } from 'hono/cookie';
import { createMiddleware } from 'hono/factory';
import type { Database } from '#server/platform/database.ts';
import { onCommitted } from '#server/platform/events.ts';
import {
  covers,
  type EventPlace,
  hadHappened,
  type Moment,
  readPosition,
} from '#server/platform/position.ts';
import type { Settings } from '#server/platform/settings.ts';
import type { Position } from '#shared/events.ts';

/** The cookie that says what a browser has written, so that no node answers it with something older. */
export const writtenCookie = 'parley.written';

/** How long it says so, in seconds: a node whose stream is further behind does not use what it keeps. */
const writtenSeconds = 30;

/** So many transactions can be named; where there are more, the cookie says that there are too many. */
const mostNamed = 100;
const tooMany = 'all';

/** So many are looked through at once where nobody asks. */
const pruneAt = 1_000;

/** What this node wrote, and up to where its stream of events is. */
export type Written = {
  /** Names all that was committed on this node so far, so that it can be told whether another node has heard of it. */
  token: () => string;
  /** Whether this node has heard of all that a token names. */
  hasHeard: (token: string) => boolean;
  /** Whether this node has heard of all that had ended at a position. */
  covers: (position: Position) => boolean;
};

export function followWritten(db: Database, position: () => Position): Written {
  /** Transactions of this node that its stream has not told of yet. */
  let waiting: EventPlace[] = [];
  let here: { position: Position; moment: Moment | null } = { position: '', moment: null };
  onCommitted(db, ({ place }) => {
    waiting.push(place);
    if (waiting.length % pruneAt === 0) prune();
  });
  return {
    token() {
      prune();
      const { position: now } = current();
      return waiting.length > mostNamed ? tooMany : [now, ...waiting.map(nameOf)].join('+');
    },
    hasHeard(token) {
      const [told = '', ...names] = token.split('+');
      const { moment } = current();
      if (moment === null || names.length > mostNamed || !isCovered(moment, told)) return false;
      return names.every((name) => hadHappened(moment, placeOf(name)));
    },
    covers(told) {
      const { position: now, moment } = current();
      return told === now || (moment !== null && isCovered(moment, told));
    },
  };

  function prune(): void {
    const { moment } = current();
    waiting = waiting.filter((place) => moment === null || !hadHappened(moment, place));
  }

  function current() {
    const now = position();
    if (now !== here.position) here = { position: now, moment: readPosition(now) };
    return here;
  }
}

/** Leaves the cookie with whoever has written: pages, too, are asked for with it. */
export function tellWritten(written: Written, { publicUrl }: Settings) {
  const secure = publicUrl?.startsWith('https:') ?? false;
  return createMiddleware(async (c, next) => {
    await next();
    if (c.req.method === 'GET' || c.req.method === 'HEAD' || (c.res.status >= 400 && c.res.status < 500))
      return;
    const options = { path: '/', maxAge: writtenSeconds, httpOnly: true, sameSite: 'Lax', secure } as const;
    c.res.headers.append('set-cookie', generateCookie(writtenCookie, written.token(), options));
  });
}

const nameOf = ({ transactionId, id }: EventPlace) => `${transactionId}.${id}`;

/** What is no name has not happened at any moment. */
function placeOf(name: string): EventPlace {
  const [transactionId, id] = name.split('.').map(Number);
  return { transactionId: transactionId ?? Number.NaN, id: id ?? Number.NaN };
}

function isCovered(moment: Moment, told: Position): boolean {
  const earlier = readPosition(told);
  return earlier !== null && covers(moment, earlier);
}
