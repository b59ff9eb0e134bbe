import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { activityKeys } from '#web/discovery/index.ts';
import { throttle } from '#web/core/throttle.ts';
import { useLive } from '#web/core/live.ts';
import { profileKeys } from './profiles.ts';

/** Updates a member's name, bio and counts live. */
export function useLiveProfile(id: number): void {
  const client = useQueryClient();
  const refresh = useMemo(
    () =>
      throttle(() => {
        void client.invalidateQueries({ queryKey: profileKeys.one(id), exact: true });
        void client.invalidateQueries({ queryKey: activityKeys.member(id) });
        void client.invalidateQueries({ queryKey: activityKeys.reputation(id) });
      }, 2000),
    [client, id],
  );
  useLive(`profile:${id}`, { onEvents: refresh, onMissed: refresh });
}
