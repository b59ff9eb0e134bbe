import { t } from '@lingui/core/macro';
import { Button } from './Button.tsx';
import { useId } from 'react';
import { ApiError } from '#web/core/errors.ts';
import classes from './list-states.module.css';

/** A failed query that can be retried. */
export type FailedQuery = { error: Error | null; refetch: () => Promise<unknown> };

/**
 * Shown in place of content that failed to load: what is missing, the server's reason if there is one, and a button to
 * retry.
 */
export function LoadError({
  text,
  query,
}: {
  /** One sentence. */
  text: string;
  query: FailedQuery;
}) {
  const id = useId();
  return (
    <div className={classes.failure}>
      <p id={id} role="alert">
        {text} {query.error instanceof ApiError && query.error.message}
      </p>
      <Button variant="default" aria-describedby={id} onClick={() => void query.refetch()}>
        {t`Try again`}
      </Button>
    </div>
  );
}
