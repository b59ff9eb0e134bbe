import { t } from '@lingui/core/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { getConnectionStatus } from '#web/core/connection.ts';
import { reloadOnce, useHasNewVersion, watchForNewVersions } from '#web/core/app-version.ts';
import classes from './NewVersionBanner.module.css';

/** Says that the server has a newer build; the next change of the page takes it, unless something is being sent. */
export function NewVersionBanner() {
  const isNew = useHasNewVersion();
  const router = useRouter();
  const queryClient = useQueryClient();
  useEffect(watchForNewVersions, []);
  useEffect(() => {
    if (!isNew) return;
    // What is typed on a page stays there as a draft when it is left, this way or another.
    return router.subscribe('onBeforeNavigate', ({ pathChanged }) => {
      if (!pathChanged || queryClient.isMutating() > 0 || getConnectionStatus() !== 'online') return;
      // The router writes the new address a moment later than it tells of it.
      router.history.flush();
      reloadOnce();
    });
  }, [isNew, router, queryClient]);

  return (
    <output className={classes.output}>
      {isNew && (
        <span className={classes.note}>
          {t`A new version is here.`}
          <button type="button" className={classes.reload} onClick={() => window.location.reload()}>
            {t`Reload`}
          </button>
        </span>
      )}
    </output>
  );
}
