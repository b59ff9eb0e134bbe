import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { QuestionPageData } from '#shared/posts/questions.ts';
import { api, readJson } from '#web/core/api.ts';
import { useIsHydrating } from '#web/core/hydration.ts';
import { sessionQuery } from '#web/core/session.ts';
import type { AnyPost } from '#web/posts/post-ref.ts';
import { listPostsBelowQuestion } from './question-page-data.ts';

/** Posts by others newer than `at` are marked. `isReturning`: `at` is the end of an earlier visit. */
type Since = { at: string; isReturning: boolean };

export type Visit = {
  /** Whether another member wrote the post since the last visit or, on the first visit, since the page was opened. */
  isNew: (content: Pick<AnyPost, 'authorId' | 'createdAt'>) => boolean;
  /** Whether the member has visited the question before. */
  isReturning: boolean;
};

/** The time of the newest post this page has reported as seen, by member and question. */
const reported = new Map<string, string>();

/** Returning to an open page after this many milliseconds counts as a new visit. */
const awayMs = 10 * 60_000;

/**
 * A member's visit to a question: counts the view once (docs/product.md 7.5), marks posts since the last visit, and
 * reports the end of this visit. The marks stay while the page is open.
 * @param isFresh whether `page` comes from the server, not from the offline cache.
 */
export function useVisit(
  questionId: number,
  memberId: number,
  page: QuestionPageData | undefined,
  isFresh: boolean,
): Visit {
  const visit = visitKey(questionId, memberId);
  const newest = useMemo(() => (page === undefined ? null : newestPostTime(page)), [page]);
  const isHydrating = useIsHydrating();
  const [wasHydrating, setWasHydrating] = useState(isHydrating);
  const [since, setSince] = useState<Since | null>(null);
  if (since === null && page !== undefined && newest !== null) {
    const stored = isHydrating ? undefined : getLastSeen(visit);
    const before = stored ?? (isFresh ? page.visitedAt : undefined);
    if (before !== undefined) setSince({ at: before ?? newest, isReturning: before !== null });
  }
  if (wasHydrating && !isHydrating) {
    setWasHydrating(false);
    const stored = getLastSeen(visit);
    // If no post is newer than both times, they mark the same posts, and no post is rendered again.
    const isSame =
      since?.isReturning === true && newest !== null && newest <= since.at && newest <= (stored ?? '');
    if (stored !== undefined && !isSame) setSince({ at: stored, isReturning: true });
  }
  const report = useReportVisit(questionId, memberId);
  const hasBegun = since !== null;
  const seen = useRef(newest);
  const latest = useRef(newest);

  useEffect(() => {
    latest.current = newest;
    if (!document.hidden) seen.current = newest;
    if (hasBegun && newest !== null && !reported.has(visit)) report(newest, false);
  }, [hasBegun, newest, report, visit]);

  useEffect(() => {
    if (!hasBegun) return undefined;
    let hiddenAt: number | null = null;
    const endVisit = () => {
      if (seen.current === null) return;
      saveLastSeen(visit, seen.current);
      if (seen.current > (reported.get(visit) ?? '')) report(seen.current, true);
    };
    const handleVisibility = () => {
      if (document.hidden) {
        hiddenAt = Date.now();
        endVisit();
        return;
      }
      const at = seen.current;
      if (hiddenAt !== null && Date.now() - hiddenAt > awayMs && at !== null)
        setSince({ at, isReturning: true });
      hiddenAt = null;
      seen.current = latest.current;
    };
    document.addEventListener('visibilitychange', handleVisibility);
    return () => {
      document.removeEventListener('visibilitychange', handleVisibility);
      if (!document.hidden) endVisit();
    };
  }, [hasBegun, report, visit]);

  return useMemo(
    () => ({
      isNew: ({ authorId, createdAt }) => since !== null && authorId !== memberId && createdAt > since.at,
      isReturning: since?.isReturning === true,
    }),
    [since, memberId],
  );
}

const visitKey = (questionId: number, memberId: number) => `${memberId}:${questionId}`;

/** Reports the visit to the server. The first one counts the view; the live updates bring the new count. */
function useReportVisit(questionId: number, memberId: number): (upTo: string, leaving: boolean) => void {
  const client = useQueryClient();
  return useCallback(
    (upTo, leaving) => {
      const visit = visitKey(questionId, memberId);
      // After a sign-out the visit cannot be reported. Only this browser remembers it.
      if (client.getQueryData(sessionQuery.queryKey)?.member?.id !== memberId) return;
      const before = reported.get(visit);
      reported.set(visit, upTo);
      const send = async () => {
        try {
          const param = { id: String(questionId) };
          await readJson(api.questions[':id'].view.$put({ param }, { init: { keepalive: leaving } }));
        } catch {
          // No message; the next visit retries.
          if (before === undefined) reported.delete(visit);
          else reported.set(visit, before);
        }
      };
      void send();
    },
    [client, questionId, memberId],
  );
}

/** The time of the newest post on the page. ISO 8601 in UTC with a fixed length, so the times compare as strings. */
function newestPostTime(page: QuestionPageData): string {
  return listPostsBelowQuestion(page).reduce(
    (newest, { content }) => (content.createdAt > newest ? content.createdAt : newest),
    page.question.createdAt,
  );
}

const storageKey = 'parley.question-visits';

/** The number of questions remembered, the most recently left first. */
const maxEntries = 50;

/**
 * The time of the newest post a member had seen when leaving a question. Stored per tab, since a reload requests the
 * page before the server has processed the report.
 */
export function getLastSeen(visit: string): string | undefined {
  return listLastSeen().find((entry) => entry.visit === visit)?.newest;
}

export function saveLastSeen(visit: string, newest: string): void {
  const others = listLastSeen().filter((entry) => entry.visit !== visit);
  lastSeen = [{ visit, newest }, ...others].slice(0, maxEntries);
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(lastSeen));
  } catch {
    // Storage can be blocked or full. The entries then last until the page is reloaded.
  }
}

type LastSeen = { visit: string; newest: string };

let lastSeen: LastSeen[] | undefined;

function listLastSeen(): LastSeen[] {
  if (lastSeen !== undefined) return lastSeen;
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? '[]');
    lastSeen = Array.isArray(stored) ? stored.filter(isLastSeen) : [];
  } catch {
    lastSeen = [];
  }
  return lastSeen;
}

function isLastSeen(entry: unknown): entry is LastSeen {
  return (
    typeof entry === 'object' &&
    entry !== null &&
    'visit' in entry &&
    typeof entry.visit === 'string' &&
    'newest' in entry &&
    typeof entry.newest === 'string'
  );
}
