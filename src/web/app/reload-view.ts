import { ApiError } from '#web/core/errors.ts';
import type { Router } from '#web/core/router.ts';

/**
 * Loads the page on the screen again. If it could not be loaded, the whole page is: a browser does not request a script
 * again that failed to load once (core/load-part.ts).
 */
export function reloadView(router: Router): void {
  const page = router.view?.page;
  const hasFailed = page !== undefined && 'error' in page && !(page.error instanceof ApiError);
  if (hasFailed) window.location.reload();
  else void router.reload();
}
