import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { useRouter } from '#web/core/router.ts';
import { ApiError, isTransient, UnreachableError } from '#web/core/errors.ts';
import { useQueuedActions } from './useQueuedActions.ts';
import { useSiteName } from '#web/core/session.ts';
import { usePageTitle } from '#web/ui/PageHeading.tsx';
import { hasNewVersion } from '#web/core/app-version.ts';
import { formatQueuedCount } from '#web/core/offline-queue.ts';
import { MessagePage } from '#web/ui/MessagePage.tsx';
import { reloadView } from './reload-view.ts';

/** The page shown when a route fails. It recovers after an outage (app/RootLayout.tsx). */
export function ErrorPage({ error }: { error: unknown }) {
  const router = useRouter();
  const siteName = useSiteName();
  const { heading, text } = explain(error, siteName);
  usePageTitle(heading);
  const queuedCount = useQueuedActions().length;
  return (
    <MessagePage heading={heading} text={text} outage={isTransient(error)}>
      {isTransient(error) && queuedCount > 0 && <p>{formatQueuedCount(queuedCount)}</p>}
      {!isTransient(error) && (
        <Button
          variant="default"
          onClick={() => (hasNewVersion() ? window.location.reload() : reloadView(router))}
        >
          {t`Try again`}
        </Button>
      )}
    </MessagePage>
  );
}

function explain(error: unknown, siteName: string): { heading: string; text: string } {
  if (error instanceof UnreachableError)
    return {
      heading: t`${siteName} cannot be reached`,
      text: t`Check your connection. This page will reload automatically when the server responds.`,
    };
  if (error instanceof ApiError && error.kind === 'busy')
    return { heading: t`The server is very busy`, text: t`This page will reload automatically in a moment.` };
  if (isTransient(error))
    return {
      heading: t`The server is restarting`,
      text: t`This page will reload automatically in a moment.`,
    };
  if (error instanceof ApiError)
    return {
      heading: t`This page could not be displayed`,
      text: error.errorId === null ? error.message : t`${error.message} Reference: ${error.errorId}`,
    };
  return { heading: t`Something went wrong`, text: t`This page could not be displayed. Please try again.` };
}
