import { useEffect, useRef, useState } from 'react';
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
 * Claims an entry of the review queue while a moderator has it open, and releases it when it is closed or the page is left.
 * @param open the entry, null if none is open
 */
export function useReviewClaim(
  open: { id: number; takeOver: boolean } | null,
  requests: ClaimRequests = ofReviewItems,
): {
  /** Why the moderator cannot decide now: another one works on the entry or has handled it. Null if nothing is known. */
  refusal: string | null;
  /** Call it after a decision, which ends the claim. */
  endClaim: () => void;
} {
  const decidedId = useRef<number | null>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
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
        if (isOpen) setRefusal(null);
      } catch (error) {
        // Without a connection, the server checks the decision again.
        if (isOpen && error instanceof ApiError && [403, 404, 409].includes(error.status))
          setRefusal(error.message);
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
      setRefusal(null);
      clearInterval(timer);
      removeEventListener('pagehide', release);
      release();
    };
  }, [id, takeOver, requests]);
  return {
    refusal,
    endClaim: () => {
      decidedId.current = id;
    },
  };
}
