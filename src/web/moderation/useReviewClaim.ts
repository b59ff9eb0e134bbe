import { useEffect, useRef } from 'react';
import { reviewClaimMinutes } from '#shared/moderation/moderation.ts';
import { ApiError } from '#web/core/errors.ts';
import { claimReviewItem, releaseReviewItem } from './moderation.ts';

const prolongAfterMs = (reviewClaimMinutes / 2) * 60_000;

/** The requests for claims of one queue. A constant. */
type ClaimRequests = {
  claim: (id: number, options: { takeOver: boolean }) => Promise<unknown>;
  release: (id: number) => Promise<unknown>;
};

const ofReviewItems: ClaimRequests = { claim: claimReviewItem, release: releaseReviewItem };

/**
 * Claims an entry of the review queue for the moderator while it is open, and releases it when it is closed or the page
 * is left. Returns a function to call after a decision, which ends the claim.
 * @param open the entry, null if none is open
 * @param onRefused is called with the reason if another moderator works on it or has handled it
 */
export function useReviewClaim(
  open: { id: number; takeOver: boolean } | null,
  onRefused: (reason: string) => void,
  requests: ClaimRequests = ofReviewItems,
): () => void {
  const decidedId = useRef<number | null>(null);
  const latest = useRef(onRefused);
  useEffect(() => {
    latest.current = onRefused;
  });
  const id = open?.id ?? null;
  const takeOver = open?.takeOver ?? false;
  useEffect(() => {
    if (id === null) return undefined;
    let isOpen = true;
    // Until a claim has arrived.
    let takesOver = takeOver;
    const claim = async () => {
      try {
        await requests.claim(id, { takeOver: takesOver });
        takesOver = false;
      } catch (error) {
        // Without a connection, the dialog stays with what is typed in it. The server checks the decision again.
        if (isOpen && error instanceof ApiError && [403, 404, 409].includes(error.status))
          latest.current(error.message);
      }
    };
    const claimed = claim();
    const timer = setInterval(() => void claim(), prolongAfterMs);
    // After the claim, which may still be on its way. A claim that could not be released ends by itself.
    const release = () => {
      if (decidedId.current !== id) void claimed.then(() => requests.release(id)).catch(() => undefined);
    };
    addEventListener('pagehide', release);
    return () => {
      isOpen = false;
      clearInterval(timer);
      removeEventListener('pagehide', release);
      release();
    };
  }, [id, takeOver, requests]);
  return () => {
    decidedId.current = id;
  };
}
