import { useKnownSession } from '#web/platform/session.ts';
import { lastMember, useWaiting } from '#web/platform/waiting.ts';
import { waitingKinds } from './waiting-kinds.ts';

/** How much waits to be sent; before the server has said who is signed in, of who was the last to leave something. */
export function useWaitingCount(): number {
  const session = useKnownSession();
  const waiting = useWaiting(session === undefined ? lastMember() : (session.member?.id ?? null));
  return waiting.filter(
    (item) =>
      item.refused === null &&
      waitingKinds.some((kind) => kind.name === item.kind && kind.accepts(item.data)),
  ).length;
}
