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
import type { OperatorSettings } from './operator-settings.ts';
import type { Position } from '#shared/core/events.ts';

/** The cookie with a browser's latest writes. A node that has not received them yet does not use its document cache. */
export const writesCookie = 'parley.last_write';

/** The lifetime of the cookie in seconds, longer than the event stream of a healthy node lags. */
const writesCookieSeconds = 30;

/** The maximum number of transactions in the cookie. Above it, the cookie contains only a marker. */
const maxNamed = 100;
const tooMany = 'all';

/** Prunes after this many writes, even if no token is created. */
const pruneInterval = 1_000;

/** Tracks the writes of this node and the position of its event stream. */
export type WriteTracker = {
  /** Creates a token for everything committed on this node so far. */
  createToken: () => string;
  /** Whether this node has received everything that a token names. */
  hasSeen: (token: string) => boolean;
  /** Whether this node has received everything up to a position. */
  covers: (position: Position) => boolean;
};

export function trackWrites(db: Database, position: () => Position): WriteTracker {
  /** Transactions of this node that its event stream has not delivered yet. */
  let unseen: EventPosition[] = [];
  let here: { position: Position; moment: StreamSnapshot | null } = { position: '', moment: null };
  onEventsCommitted(db, ({ position: eventPosition }) => {
    unseen.push(eventPosition);
    if (unseen.length % pruneInterval === 0) prune();
  });
  return {
    createToken() {
      prune();
      const { position: now } = current();
      return unseen.length > maxNamed ? tooMany : [now, ...unseen.map(formatEventPosition)].join('+');
    },
    hasSeen(token) {
      const [knownPosition = '', ...names] = token.split('+');
      const { moment } = current();
      if (moment === null || names.length > maxNamed || !isCovered(moment, knownPosition)) return false;
      return names.every((name) => includesEvent(moment, parseEventPosition(name)));
    },
    covers(knownPosition) {
      const { position: now, moment } = current();
      return knownPosition === now || (moment !== null && isCovered(moment, knownPosition));
    },
  };

  function prune(): void {
    const { moment } = current();
    unseen = unseen.filter((eventPosition) => moment === null || !includesEvent(moment, eventPosition));
  }

  function current() {
    const now = position();
    if (now !== here.position) here = { position: now, moment: parsePosition(now) };
    return here;
  }
}

/** Sets the cookie after each write. Browsers also send it when they request pages. */
export function setWritesCookie(written: WriteTracker, { publicUrl }: OperatorSettings) {
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

const writesCookiePattern = new RegExp(`(?:^|;)\\s*${writesCookie.replace('.', '\\.')}=([^;]*)`);

/** The token in a request's cookies. Undefined without one. */
export function readWritesCookie(cookie: string): string | undefined {
  const [, value] = writesCookiePattern.exec(cookie) ?? [];
  if (value === undefined) return undefined;
  try {
    return decodeURIComponent(value);
  } catch {
    // Not created by Parley, so it has no position.
    return '';
  }
}

const formatEventPosition = ({ transactionId, id }: EventPosition) => `${transactionId}.${id}`;

/** An invalid name results in a position that no snapshot includes. */
function parseEventPosition(name: string): EventPosition {
  const [transactionId, id] = name.split('.').map(Number);
  return { transactionId: transactionId ?? Number.NaN, id: id ?? Number.NaN };
}

function isCovered(moment: StreamSnapshot, position: Position): boolean {
  const earlier = parsePosition(position);
  return earlier !== null && coversSnapshot(moment, earlier);
}
