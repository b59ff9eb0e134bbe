import { generateCookie } from 'hono/cookie';
import { createMiddleware } from 'hono/factory';
import type { Database } from './database.ts';
import { onEventsCommitted } from './events.ts';
import {
  coversSnapshot,
  type EventPosition,
  includesEvent,
  type StreamSnapshot,
  parsePosition,
} from './event-position.ts';
import type { SiteSettings } from './site-settings.ts';
import type { Position } from '#shared/core/events.ts';

/** The cookie that says what a browser has written, so that no node answers it with something older. */
export const writesCookie = 'parley.written';

/** How long it says so, in seconds: a node whose stream is further behind does not use what it keeps. */
const writesCookieSeconds = 30;

/** So many transactions can be named; where there are more, the cookie says that there are too many. */
const maxNamed = 100;
const tooMany = 'all';

/** So many are looked through at once where nobody asks. */
const pruneInterval = 1_000;

/** What this node wrote, and up to where its stream of events is. */
export type WriteTracker = {
  /** Names all that was committed on this node so far, so that it can be told whether another node has heard of it. */
  createToken: () => string;
  /** Whether this node has heard of all that a token names. */
  hasSeen: (token: string) => boolean;
  /** Whether this node has heard of all that had ended at a position. */
  covers: (position: Position) => boolean;
};

export function trackWrites(db: Database, position: () => Position): WriteTracker {
  /** Transactions of this node that its stream has not told of yet. */
  let unseen: EventPosition[] = [];
  let here: { position: Position; moment: StreamSnapshot | null } = { position: '', moment: null };
  onEventsCommitted(db, ({ position: place }) => {
    unseen.push(place);
    if (unseen.length % pruneInterval === 0) prune();
  });
  return {
    createToken() {
      prune();
      const { position: now } = current();
      return unseen.length > maxNamed ? tooMany : [now, ...unseen.map(formatEventPosition)].join('+');
    },
    hasSeen(token) {
      const [told = '', ...names] = token.split('+');
      const { moment } = current();
      if (moment === null || names.length > maxNamed || !isCovered(moment, told)) return false;
      return names.every((name) => includesEvent(moment, parseEventPosition(name)));
    },
    covers(told) {
      const { position: now, moment } = current();
      return told === now || (moment !== null && isCovered(moment, told));
    },
  };

  function prune(): void {
    const { moment } = current();
    unseen = unseen.filter((place) => moment === null || !includesEvent(moment, place));
  }

  function current() {
    const now = position();
    if (now !== here.position) here = { position: now, moment: parsePosition(now) };
    return here;
  }
}

/** Leaves the cookie with whoever has written: pages, too, are asked for with it. */
export function setWritesCookie(written: WriteTracker, { publicUrl }: SiteSettings) {
  const secure = publicUrl?.startsWith('https:') ?? false;
  return createMiddleware(async (c, next) => {
    await next();
    if (c.req.method === 'GET' || c.req.method === 'HEAD' || (c.res.status >= 400 && c.res.status < 500))
      return;
    const options = {
      path: '/',
      maxAge: writesCookieSeconds,
      httpOnly: true,
      sameSite: 'Lax',
      secure,
    } as const;
    c.res.headers.append('set-cookie', generateCookie(writesCookie, written.createToken(), options));
  });
}

const formatEventPosition = ({ transactionId, id }: EventPosition) => `${transactionId}.${id}`;

/** What is no name has not happened at any moment. */
function parseEventPosition(name: string): EventPosition {
  const [transactionId, id] = name.split('.').map(Number);
  return { transactionId: transactionId ?? Number.NaN, id: id ?? Number.NaN };
}

function isCovered(moment: StreamSnapshot, told: Position): boolean {
  const earlier = parsePosition(told);
  return earlier !== null && coversSnapshot(moment, earlier);
}
