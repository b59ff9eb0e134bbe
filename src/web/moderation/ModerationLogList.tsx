import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import type { ModerationLogEntry } from '#shared/moderation/moderation.ts';
import { paths } from '#web/core/paths.ts';
import { questionPath } from '#shared/posts/question-paths.ts';
import { PathLink } from '#web/ui/PathLink.tsx';
import { Time } from '#web/ui/Time.tsx';
import { actionLabels, logEntryText } from './moderation-messages.ts';
import classes from './moderation.module.css';

/** Moderation actions and their reasons, latest first. */
export function ModerationLogList({
  entries,
  onRestore,
}: {
  entries: readonly ModerationLogEntry[];
  onRestore: (post: NonNullable<ModerationLogEntry['restorable']>) => void;
}) {
  return (
    <ul className={classes.list}>
      {entries.map((entry) => (
        <li key={entry.id} className={classes.card} tabIndex={-1} data-shortcut-stop>
          <div className={classes.head}>
            <span className={classes.strong}>{logEntryText(entry.action, entry.postKind)}</span>
            <Time at={entry.at} />
            {entry.moderatorName !== null && <span dir="auto">{t`by ${entry.moderatorName}`}</span>}
            {entry.memberId !== null && entry.memberName !== null && (
              <PathLink href={`${paths.moderation}/member/${entry.memberId}`} dir="auto">
                {entry.memberName}
              </PathLink>
            )}
          </div>
          {entry.reason !== '' && <p dir="auto">{entry.reason}</p>}
          {entry.questionId !== null && entry.title !== null && (
            <PathLink href={questionPath(entry.questionId, entry.title)} dir="auto">
              {entry.title}
            </PathLink>
          )}
          {entry.before !== null && <PreviousState before={entry.before} />}
          {entry.restorable !== null && (
            <div className={classes.buttons}>
              <Button variant="default" onClick={() => entry.restorable && onRestore(entry.restorable)}>
                {actionLabels.restore()}
              </Button>
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The logged state before the action. */
function PreviousState({ before }: { before: NonNullable<ModerationLogEntry['before']> }) {
  const facts = Object.entries(before).map(([name, value]) => `${name}: ${value}`);
  if (facts.length === 0) return null;
  return <p className={classes.quiet}>{t`Before: ${facts.join(', ')}`}</p>;
}
