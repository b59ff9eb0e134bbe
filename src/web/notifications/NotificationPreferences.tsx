import { t } from '@lingui/core/macro';
import { IconChevronDown } from '@tabler/icons-react';
import { VisuallyHidden } from '#web/ui/VisuallyHidden.tsx';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useState } from 'react';
import type {
  EmailFrequency,
  NotificationCategory,
  NotificationPreference,
} from '#shared/notifications/preferences.ts';
import { ApiError } from '#web/core/errors.ts';
import { toastError } from '#web/core/toast.ts';
import fields from '#web/ui/fields.module.css';
import { LoadError } from '#web/ui/LoadError.tsx';
import { LoadingRegion } from '#web/ui/LoadingRegion.tsx';
import { Skeleton, SkeletonLines } from '#web/ui/Skeleton.tsx';
import {
  notificationPreferencesQuery,
  type PreferenceChange,
  useSavePreference,
} from './notification-preferences.ts';
import { EmailStatusNote } from './EmailStatusNote.tsx';
import { PushSettings } from './PushSettings.tsx';
import classes from './NotificationPreferences.module.css';

/** A table with a row per kind of event and a column per channel. Changes are saved automatically. */
export function NotificationPreferences() {
  const query = useQuery(notificationPreferencesQuery);
  const ids = { inApp: useId(), email: useId(), push: useId() };
  const [savedLine, setSavedLine] = useState<NotificationCategory | null>(null);
  useEffect(() => {
    if (savedLine === null) return;
    const timer = setTimeout(() => setSavedLine(null), savedNoticeMs);
    return () => clearTimeout(timer);
  }, [savedLine]);

  if (query.isPending) return <PreferencesSkeleton />;
  const settings = query.data;
  if (settings === undefined)
    return <LoadError text={t`Your notification preferences could not be loaded.`} query={query} />;
  const { preferences, emailStatus, pushKey } = settings;
  return (
    <>
      {(emailStatus === 'unavailable' || pushKey !== null) && (
        <div className={classes.notes}>
          {emailStatus === 'unavailable' && <EmailStatusNote state={emailStatus} isWanted={false} />}
          <PushSettings pushKey={pushKey} isOn={settings.isPushEnabledHere} />
        </div>
      )}
      <table className={classes.table}>
        <caption>
          <VisuallyHidden>{t`Notification preferences`}</VisuallyHidden>
        </caption>
        <thead>
          <tr>
            <th scope="col">
              <VisuallyHidden>{t`Event`}</VisuallyHidden>
            </th>
            <th id={ids.inApp} scope="col">{t`In the app`}</th>
            <th id={ids.email} scope="col">{t`By email`}</th>
            <th id={ids.push} scope="col">{t`Push`}</th>
          </tr>
        </thead>
        <tbody>
          {preferences.map((choice) => (
            <PreferenceRow
              key={choice.category}
              choice={choice}
              columns={ids}
              canEmail={emailStatus !== 'unavailable'}
              canPush={pushKey !== null}
              isSaved={savedLine === choice.category}
              onSaved={() => setSavedLine(choice.category)}
            />
          ))}
        </tbody>
      </table>
      {/* Below the table, because its text depends on the choices there. */}
      {emailStatus !== 'unavailable' && (
        <div className={classes.notes}>
          <EmailStatusNote
            state={emailStatus}
            isWanted={preferences.some((choice) => choice.inApp && choice.email !== 'off')}
          />
        </div>
      )}
    </>
  );
}

/** The placeholder of the table, with its final height. */
function PreferencesSkeleton() {
  return (
    <LoadingRegion label={t`Loading notification preferences`} part>
      <span className={classes.notes}>
        <SkeletonLines widths={['18rem', '24rem']} />
        <Skeleton width="16rem" height="2.625rem" />
      </span>
      <span className={classes.loading}>
        {nameWidths.map((width) => (
          <span key={width} className={classes.loadingLine}>
            <Skeleton width={width} />
            <Skeleton width="1.125rem" height="1.125rem" />
            <Skeleton width="5.5rem" height="2.75rem" />
            <Skeleton width="1.125rem" height="1.125rem" />
          </span>
        ))}
      </span>
    </LoadingRegion>
  );
}

/** About as long as the names of the events. */
const nameWidths = ['68%', '80%', '60%', '46%', '52%', '49%'];

/** How long 'Preference saved' is visible, in milliseconds. */
const savedNoticeMs = 4_000;

function PreferenceRow(props: {
  choice: NotificationPreference;
  columns: { inApp: string; email: string; push: string };
  canEmail: boolean;
  canPush: boolean;
  isSaved: boolean;
  onSaved: () => void;
}) {
  const { choice, columns, canEmail, canPush, isSaved, onSaved } = props;
  const { category, inApp, email, push } = choice;
  const lineId = useId();
  const savePreference = useSavePreference();
  const save = (change: PreferenceChange) =>
    savePreference.mutate({ category, change }, { onSuccess: onSaved, onError: showSaveError });
  // Without in-app notifications the other channels are off too. Their choices return with it.
  const isOff = !inApp;
  return (
    <tr>
      <th scope="row">
        <span id={lineId}>{preferenceLabel(category)}</span>
        <output className={classes.saved}>{isSaved && t`Preference saved`}</output>
      </th>
      <td>
        <label className={classes.box}>
          <input
            type="checkbox"
            className={fields.checkbox}
            aria-labelledby={`${lineId} ${columns.inApp}`}
            checked={inApp}
            onChange={(event) => save({ inApp: event.currentTarget.checked })}
          />
        </label>
      </td>
      <td>
        <span className={classes.frequency}>
          <select
            className={classes.select}
            aria-labelledby={`${lineId} ${columns.email}`}
            disabled={isOff || !canEmail}
            value={canEmail ? email : 'off'}
            onChange={(event) => save({ email: event.currentTarget.value as EmailFrequency })}
          >
            {emailFrequencies().map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
          <IconChevronDown size={16} stroke={1.8} aria-hidden />
        </span>
      </td>
      <td>
        <label className={classes.box}>
          <input
            type="checkbox"
            className={fields.checkbox}
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

function showSaveError(error: Error): void {
  toastError(
    error instanceof ApiError
      ? error.message
      : t`Your preferences could not be saved. Please check your connection and try again.`,
  );
}

const emailFrequencies = (): [EmailFrequency, string][] => [
  ['off', t`Off`],
  ['instant', t`Instantly`],
  ['daily', t`Daily`],
  ['weekly', t`Weekly`],
];

function preferenceLabel(category: NotificationCategory): string {
  switch (category) {
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
      return t`Votes on my posts`;
    case 'edits':
      return t`Suggested edits`;
    case 'moderation':
      return t`Posts waiting for review`;
  }
}
