import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ModerationLogEntry } from '#shared/moderation/moderation.ts';
import { isLanguage, languageNames } from '#shared/core/languages.ts';
import { roleNames } from '#shared/identity/roles.ts';
import { useMember } from '#web/core/session.ts';
import { optionLabel, settingLabel } from '#web/core/setting-texts.ts';
import { toast, toastError } from '#web/core/toast.ts';
import { moderatedMemberPath } from '#web/core/paths.ts';
import { questionPath } from '#shared/posts/question-paths.ts';
import { Link } from '#web/ui/Link.tsx';
import { Time } from '#web/ui/Time.tsx';
import { undoAdminChange } from './moderation.ts';
import { actionLabels, logEntryText, roleLabels } from './moderation-messages.ts';
import classes from './moderation.module.css';

/** Moderation actions and their reasons, latest first. */
export function ModerationLogList({
  entries,
  onRestore,
}: {
  entries: readonly ModerationLogEntry[];
  onRestore: (post: NonNullable<ModerationLogEntry['restorable']>) => void;
}) {
  const member = useMember();
  return (
    <ul className={classes.list}>
      {entries.map((entry) => (
        <li key={entry.id} className={classes.card} tabIndex={-1} data-shortcut-stop>
          <div className={classes.head}>
            <span className={classes.strong}>{logEntryText(entry.action, entry.postKind)}</span>
            {entry.subject !== null && <span dir="auto">{subjectLabel(entry)}</span>}
            <Time at={entry.at} />
            {entry.moderatorName !== null && <span dir="auto">{t`by ${entry.moderatorName}`}</span>}
            {entry.memberId !== null && entry.memberName !== null && (
              <Link href={moderatedMemberPath(entry.memberId)} dir="auto">
                {entry.memberName}
              </Link>
            )}
          </div>
          {entry.reason !== '' && <p dir="auto">{entry.reason}</p>}
          {entry.questionId !== null && entry.title !== null && (
            <Link href={questionPath(entry.questionId, entry.title)} dir="auto">
              {entry.title}
            </Link>
          )}
          {entry.before !== null && (
            <State text={t`Before: ${describeState(entry, entry.before)}`} state={entry.before} />
          )}
          {entry.after !== null && (
            <State text={t`After: ${describeState(entry, entry.after)}`} state={entry.after} />
          )}
          {member?.role === 'admin' && canUndo(entry) && <UndoChange entry={entry} />}
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

/** The logged state before or after the action. */
function State({ text, state }: { text: string; state: LoggedState }) {
  if (Object.keys(state).length === 0) return null;
  return (
    <p className={classes.quiet} dir="auto">
      {text}
    </p>
  );
}

type LoggedState = NonNullable<ModerationLogEntry['before']>;

/** The state of a setting is its value alone. */
const describeState = ({ action, subject }: ModerationLogEntry, state: LoggedState) =>
  Object.entries(state)
    .map(([name, value]) => {
      if (name !== 'value') return `${stateLabels[name]?.() ?? name}: ${describeValue(name, value)}`;
      return action === 'setting' && subject !== null ? settingValueText(subject, value) : formatValue(value);
    })
    .join(', ');

/** The frequent parts of a state. Settings of sign-in providers keep the names of their configuration. */
const stateLabels: Readonly<Partial<Record<string, () => string>>> = {
  reportsCount: () => t`Reports`,
  role: () => t`Role`,
  warnings: () => t`Warnings`,
  accounts: () => t`Accounts`,
  posts: () => t`Posts`,
};

function describeValue(name: string, value: LoggedState[string]): string {
  const role = name === 'role' ? roleNames.find((each) => each === value) : undefined;
  return role === undefined ? formatValue(value) : roleLabels[role]();
}

const formatValue = (value: LoggedState[string]) => (value === '' ? '–' : String(value));

/** The value of a setting in the words of the site settings. */
function settingValueText(name: string, value: LoggedState[string]): string {
  if (typeof value === 'boolean') return value ? t`On` : t`Off`;
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.join(', ');
  // The catalogue has the description of a setting beside its options.
  if (typeof value !== 'string' || value === '' || value === 'description') return formatValue(value);
  return name === 'language' && isLanguage(value) ? languageNames[value] : optionLabel(name, value);
}

/** Settings have a translated name (lingui.config.ts). */
const subjectLabel = ({ action, subject }: ModerationLogEntry) =>
  action === 'setting' ? settingLabel(subject ?? '') : subject;

/** A secret that was replaced is not stored. */
function canUndo({ action, after }: ModerationLogEntry): boolean {
  if (action === 'change_sign_in_provider') return after !== null && !('clientSecret' in after);
  return action === 'setting' || action === 'order_sign_in_providers';
}

function UndoChange({ entry }: { entry: ModerationLogEntry }) {
  const client = useQueryClient();
  const undo = useMutation({
    mutationFn: () => undoAdminChange(client, entry),
    onSuccess: () => toast(t`Saved to the moderation log`),
    onError: (error) => toastError(error.message),
  });
  return (
    <div className={classes.buttons}>
      <Button variant="default" loading={undo.isPending} onClick={() => undo.mutate()}>
        {t`Undo`}
      </Button>
    </div>
  );
}
