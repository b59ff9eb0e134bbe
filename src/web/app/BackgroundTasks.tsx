import { useLiveConnection } from '#web/core/live-connection.ts';
import { MemberLiveUpdates } from './MemberLiveUpdates.ts';
import { SyncDrafts } from './SyncDrafts.ts';
import { useNotificationLinks } from './useNotificationLinks.ts';

/** Background tasks without a visible part. Loaded after the page handles input. */
export default function BackgroundTasks({ memberId }: { memberId: number }) {
  useLiveConnection();
  useNotificationLinks();
  return (
    <>
      <MemberLiveUpdates memberId={memberId} />
      <SyncDrafts memberId={memberId} />
    </>
  );
}
