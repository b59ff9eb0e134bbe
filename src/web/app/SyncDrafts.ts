import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { draftKeys } from '#web/posts/query-keys.ts';
import { throttle } from '#web/core/timing.ts';
import { listDraftRecords } from '#web/posts/drafts/stored-drafts.ts';
import type * as DraftSync from '#web/posts/drafts/drafts-sync.ts';
import { retryUntilLoaded } from '#web/core/lazy.ts';
import { useLive } from '#web/core/live.ts';

/** Renders nothing. Syncs the member's drafts between this browser and the server on every page. */
export function SyncDrafts({ memberId }: { memberId: number }): null {
  const client = useQueryClient();
  const list = useMemo(
    () => throttle(() => void client.invalidateQueries({ queryKey: draftKeys.all }), 500),
    [client],
  );
  useEffect(() => {
    if (listDraftRecords(memberId).length > 0)
      void withDraftSync(({ syncAllDrafts }) => syncAllDrafts(memberId));
  }, [memberId]);
  useLive(`member:${memberId}`, {
    onEvents(events) {
      for (const event of events) {
        if (event.kind !== 'draft-changed') continue;
        void withDraftSync(({ handleDraftEvent }) => handleDraftEvent(memberId, event));
        list();
      }
    },
    onMissed() {
      void withDraftSync(({ syncAllDrafts }) => syncAllDrafts(memberId));
      list();
    },
  });
  return null;
}

/** Most visits touch no draft, so the module is loaded on first use. */
async function withDraftSync(work: (drafts: typeof DraftSync) => void): Promise<void> {
  work(await retryUntilLoaded(() => import('#web/posts/drafts/drafts-sync.ts')));
}
