import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { LoadError } from '#web/ui/LoadError.tsx';
import { Time } from '#web/ui/Time.tsx';
import { reviewHistoryQuery } from './moderation.ts';
import { logEntryText } from './moderation-messages.ts';
import classes from './moderation.module.css';

/**
 * What moderators did before about the post of an entry, loaded when it is opened.
 * @param none the text if there is nothing
 */
export function ReviewHistory({ id, none }: { id: number; none: string }) {
  const [opened, setOpened] = useState(false);
  return (
    <details open={opened} onToggle={(event) => setOpened(event.currentTarget.open)}>
      <summary className={classes.historyToggle}>{t`History`}</summary>
      {opened && <HistoryList id={id} none={none} />}
    </details>
  );
}

function HistoryList({ id, none }: { id: number; none: string }) {
  const query = useQuery(reviewHistoryQuery(id));
  if (query.isError) return <LoadError text={t`The history could not be loaded.`} query={query} />;
  if (query.data === undefined) return null;
  const { items } = query.data;
  if (items.length === 0) return <p className={classes.quiet}>{none}</p>;
  return (
    <ul className={classes.facts}>
      {items.map((entry) => (
        <li key={entry.id} className={classes.quiet} dir="auto">
          {logEntryText(entry.action, entry.postKind)} · {entry.moderatorName ?? t`Automatically`} ·{' '}
          <Time at={entry.at} />
          {entry.reason !== '' && ` · ${entry.reason}`}
        </li>
      ))}
    </ul>
  );
}
