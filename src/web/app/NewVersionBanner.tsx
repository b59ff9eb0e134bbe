import { t } from '@lingui/core/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter, isSamePage } from '#web/core/router.ts';
import { useEffect } from 'react';
import { getConnectionStatus } from '#web/core/connection.ts';
import { reloadOnce, useHasNewVersion } from '#web/core/app-version.ts';
import classes from './NewVersionBanner.module.css';

/** Says that the server has a newer build. The next navigation loads it, unless something is being sent. */
export function NewVersionBanner() {
  const isNew = useHasNewVersion();
  const router = useRouter();
  const queryClient = useQueryClient();
  useEffect(() => {
    if (!isNew) return;
    // Text that is typed on a page is saved as a draft when the page is left, also by a reload.
    return router.onNavigated(({ from, to }) => {
      if (isSamePage(from, to)) return;
      if (queryClient.isMutating() > 0 || getConnectionStatus() !== 'online') return;
      reloadOnce();
    });
  }, [isNew, router, queryClient]);

  return (
    <output className={classes.output}>
      {isNew && (
        <span className={classes.note}>
          {t`A new version is available.`}
          <button type="button" className={classes.reload} onClick={() => window.location.reload()}>
            {t`Reload`}
          </button>
        </span>
      )}
    </output>
  );
}
