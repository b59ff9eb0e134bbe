import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import type { CareEntry } from '#shared/care.ts';
import { paths, questionPath } from '#web/platform/paths.ts';
import { PathLink } from '#web/ui/PathLink.tsx';
import { Time } from '#web/ui/Time.tsx';
import { actionName, doneText } from './texts.ts';
import classes from './care.module.css';

/** What operators did and why, the latest first. */
export function LogList({
  entries,
  onRestore,
}: {
  entries: readonly CareEntry[];
  onRestore: (post: NonNullable<CareEntry['restorable']>) => void;
}) {
  return (
    <ul className={classes.list}>
      {entries.map((entry) => (
        <li key={entry.id} className={classes.card} tabIndex={-1} data-shortcut-stop>
          <div className={classes.head}>
            <span className={classes.strong}>{doneText(entry.action, entry.postKind)}</span>
            <Time at={entry.at} />
            {entry.operatorName !== null && <span dir="auto">{t`by ${entry.operatorName}`}</span>}
            {entry.memberId !== null && entry.memberName !== null && (
              <PathLink href={`${paths.care}/member/${entry.memberId}`} dir="auto">
                {entry.memberName}
              </PathLink>
            )}
          </div>
          {entry.reason !== '' && <p dir="auto">{entry.reason}</p>}
          {entry.questionId !== null && entry.title !== null && (
            <PathLink href={questionPath(entry.questionId)} dir="auto">
              {entry.title}
            </PathLink>
          )}
          {entry.before !== null && <Before before={entry.before} />}
          {entry.restorable !== null && (
            <div className={classes.buttons}>
              <Button variant="default" onClick={() => entry.restorable && onRestore(entry.restorable)}>
                {actionName.restore()}
              </Button>
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

/** How it was, as it was written down. */
function Before({ before }: { before: NonNullable<CareEntry['before']> }) {
  const facts = Object.entries(before).map(([name, value]) => `${name}: ${value}`);
  if (facts.length === 0) return null;
  return <p className={classes.quiet}>{t`Before: ${facts.join(', ')}`}</p>;
}
