import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { draftKeys } from '#web/drafts/draft-keys.ts';
import { calmly } from '#web/platform/calmly.ts';
import { recordsOf } from '#web/platform/draft-store.ts';
import type * as DraftSync from '#web/platform/draft-sync.ts';
import { useLive } from '#web/platform/live.ts';

/** Shows nothing; keeps the member's drafts in this browser and on the server the same, on whichever page they are. */
export function SyncDrafts({ memberId }: { memberId: number }): null {
  const client = useQueryClient();
  const list = useMemo(
    () => calmly(() => void client.invalidateQueries({ queryKey: draftKeys.all }), 500),
    [client],
  );
  useEffect(() => {
    if (recordsOf(memberId).length > 0) void withDrafts(({ syncAll }) => syncAll(memberId));
  }, [memberId]);
  useLive(`member:${memberId}`, {
    heard(events) {
      for (const event of events) {
        if (event.kind !== 'draft-changed') continue;
        void withDrafts(({ heardOfDraft }) => heardOfDraft(memberId, event));
        list();
      }
    },
    missed() {
      void withDrafts(({ syncAll }) => syncAll(memberId));
      list();
    },
  });
  return null;
}

/** Most visits touch no draft: what keeps them comes when it is needed. */
async function withDrafts(work: (drafts: typeof DraftSync) => void): Promise<void> {
  work(await import('#web/platform/draft-sync.ts'));
}
