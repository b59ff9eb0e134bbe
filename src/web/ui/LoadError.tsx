import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { useId } from 'react';
import { ApiError, translateServerMessage } from '#web/core/errors.ts';
import classes from './LoadError.module.css';

/** What brought nothing, and can be asked again. */
export type FailedQuery = { error: Error | null; refetch: () => Promise<unknown> };

/** In the place of what could not be loaded: what is missing, why where the server says it, and the way to try again. */
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
        {text} {query.error instanceof ApiError && translateServerMessage(query.error.message)}
      </p>
      <Button variant="default" aria-describedby={id} onClick={() => void query.refetch()}>
        {t`Try again`}
      </Button>
    </div>
  );
}
