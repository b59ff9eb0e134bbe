import { useSendWaiting } from '#web/platform/send-waiting.ts';
import { waitingKinds } from './waiting-kinds.ts';

/** Shows nothing; sends what the member did without a connection, on whichever page they are. */
export function SendWaiting({ memberId }: { memberId: number }): null {
  useSendWaiting(memberId, waitingKinds);
  return null;
}
