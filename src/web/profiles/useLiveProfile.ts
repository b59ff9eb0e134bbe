import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { calmly } from '#web/platform/calmly.ts';
import { useLive } from '#web/platform/live.ts';
import { profileKeys } from './profiles.ts';

/** Keeps a member's name, bio and stats as they are on the server. */
export function useLiveProfile(id: number): void {
  const client = useQueryClient();
  const refresh = useMemo(
    () => calmly(() => void client.invalidateQueries({ queryKey: profileKeys.one(id), exact: true }), 2000),
    [client, id],
  );
  useLive(`profile:${id}`, { heard: refresh, missed: refresh });
}
