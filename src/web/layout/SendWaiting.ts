import { useOfflineQueueSender } from '#web/platform/send-waiting.ts';
import { offlineActionKinds } from './waiting-kinds.ts';

/** Shows nothing; sends what the member did without a connection, on whichever page they are. */
export function OfflineQueueSender({ memberId }: { memberId: number }): null {
  useOfflineQueueSender(memberId, offlineActionKinds);
  return null;
}
