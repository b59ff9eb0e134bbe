import { t } from '@lingui/core/macro';
import { VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useState } from 'react';
import type { MailChoice, NotificationAbout, NotificationChoice } from '#shared/notification-settings.ts';
import { ApiError } from '#web/platform/errors.ts';
import { said } from '#web/platform/said.ts';
import { toastError } from '#web/platform/toast.ts';
import check from '#web/ui/check.module.css';
import { NotLoaded } from '#web/ui/NotLoaded.tsx';
import { Pending } from '#web/ui/Pending.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import { SkeletonLines } from '#web/ui/SkeletonLines.tsx';
import { type Change, notificationSettingsQuery, useChoose } from './notification-settings.ts';
import { MailNote } from './MailNote.tsx';
import { PushHere } from './PushHere.tsx';
import classes from './NotificationChoices.module.css';

/** How the member hears of what: a line for each thing, a column for each way. Every change is saved at once. */
export function NotificationChoices() {
  const query = useQuery(notificationSettingsQuery);
  const ids = { inApp: useId(), mail: useId(), push: useId() };
  const [savedLine, setSavedLine] = useState<NotificationAbout | null>(null);
  useEffect(() => {
    if (savedLine === null) return;
    const timer = setTimeout(() => setSavedLine(null), savedFor);
    return () => clearTimeout(timer);
  }, [savedLine]);

  if (query.isPending) return <Loading />;
  const settings = query.data;
  if (settings === undefined) return <NotLoaded text={t`Your choices could not be loaded.`} query={query} />;
  const { choices, mail, pushKey } = settings;
  return (
    <>
      <table className={classes.table}>
        <caption>
          <VisuallyHidden>{t`How you hear of what concerns you`}</VisuallyHidden>
        </caption>
        <thead>
          <tr>
            <th scope="col">
              <VisuallyHidden>{t`What it is about`}</VisuallyHidden>
            </th>
            <th id={ids.inApp} scope="col">{t`In the app`}</th>
            <th id={ids.mail} scope="col">{t`By mail`}</th>
            <th id={ids.push} scope="col">{t`Push`}</th>
          </tr>
        </thead>
        <tbody>
          {choices.map((choice) => (
            <ChoiceLine
              key={choice.about}
              choice={choice}
              columns={ids}
              canMail={mail !== 'unavailable'}
              canPush={pushKey !== null}
              isSaved={savedLine === choice.about}
              onSaved={() => setSavedLine(choice.about)}
            />
          ))}
        </tbody>
      </table>
      <div className={classes.notes}>
        <MailNote state={mail} isWanted={choices.some((choice) => choice.inApp && choice.mail !== 'off')} />
        <PushHere pushKey={pushKey} isOn={settings.pushHere} />
      </div>
    </>
  );
}

/** As many lines as there are choices, each as high as one, and what stands below them. */
function Loading() {
  return (
    <Pending label={t`Loading your choices`} part>
      <span className={classes.loading}>
        {nameWidths.map((width) => (
          <span key={width} className={classes.loadingLine}>
            <Skeleton width={width} />
            <Skeleton width="1.125rem" height="1.125rem" />
            <Skeleton width="5.5rem" height="2.75rem" />
            <Skeleton width="1.125rem" height="1.125rem" />
          </span>
        ))}
        <span className={classes.notes}>
          <SkeletonLines widths={['18rem', '24rem']} />
          <Skeleton width="16rem" height="2.625rem" />
        </span>
      </span>
    </Pending>
  );
}

/** About as long as the names that come. */
const nameWidths = ['68%', '80%', '60%', '46%', '52%', '49%'];

/** How long 'Saved' stands, in milliseconds. */
const savedFor = 4_000;

function ChoiceLine(props: {
  choice: NotificationChoice;
  columns: { inApp: string; mail: string; push: string };
  canMail: boolean;
  canPush: boolean;
  isSaved: boolean;
  onSaved: () => void;
}) {
  const { choice, columns, canMail, canPush, isSaved, onSaved } = props;
  const { about, inApp, mail, push } = choice;
  const lineId = useId();
  const choose = useChoose();
  const save = (change: Change) =>
    choose.mutate({ about, change }, { onSuccess: onSaved, onError: notSaved });
  // What is not told in the app is told nowhere; what was chosen comes back with it.
  const isOff = !inApp;
  return (
    <tr>
      <th scope="row">
        <span id={lineId}>{nameOf(about)}</span>
        <output className={classes.saved}>{isSaved && t`Saved`}</output>
      </th>
      <td>
        <label className={classes.box}>
          <input
            type="checkbox"
            className={check.check}
            aria-labelledby={`${lineId} ${columns.inApp}`}
            checked={inApp}
            onChange={(event) => save({ inApp: event.currentTarget.checked })}
          />
        </label>
      </td>
      <td>
        <select
          className={classes.select}
          aria-labelledby={`${lineId} ${columns.mail}`}
          disabled={isOff || !canMail}
          value={canMail ? mail : 'off'}
          onChange={(event) => save({ mail: event.currentTarget.value as MailChoice })}
        >
          {mailChoices().map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </td>
      <td>
        <label className={classes.box}>
          <input
            type="checkbox"
            className={check.check}
            aria-labelledby={`${lineId} ${columns.push}`}
            disabled={isOff || !canPush}
            checked={push && canPush}
            onChange={(event) => save({ push: event.currentTarget.checked })}
          />
        </label>
      </td>
    </tr>
  );
}

function notSaved(error: Error): void {
  toastError(
    error instanceof ApiError
      ? said(error.message)
      : t`Your choice could not be saved. Please check your connection and try again.`,
  );
}

const mailChoices = (): [MailChoice, string][] => [
  ['off', t`Off`],
  ['at_once', t`At once`],
  ['daily', t`Daily`],
  ['weekly', t`Weekly`],
];

function nameOf(about: NotificationAbout): string {
  switch (about) {
    case 'answers':
      return t`Answers to my questions`;
    case 'followed':
      return t`Answers to questions I follow`;
    case 'replies':
      return t`Replies and comments`;
    case 'mentions':
      return t`Mentions of me`;
    case 'accepted':
      return t`Accepted answers`;
    case 'votes':
      return t`Votes for my posts`;
  }
}
