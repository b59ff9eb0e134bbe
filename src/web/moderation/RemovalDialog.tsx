import { plural, t } from '@lingui/core/macro';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { RemovalPreview, RemovalSelection } from '#shared/moderation/removals.ts';
import { Dialog } from '#web/ui/Dialog.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { ReasonForm } from './ReasonForm.tsx';
import { describeActivity, removalPreviewQuery, startRemoval } from './removals.ts';
import classes from './moderation.module.css';

/** Previews a removal of all activity, with the button that starts it. */
export default function RemovalDialog({
  selection,
  onDone,
  onClose,
}: {
  selection: RemovalSelection;
  /** Called when the removal has started. */
  onDone: () => void;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const { data: preview, error } = useQuery(removalPreviewQuery(selection));
  return (
    <Dialog title={t`Remove all activity`} opened onClose={onClose} size="36rem">
      <div className={classes.form}>
        <p className={classes.quiet}>
          {t`All posts and votes of the accounts are removed. The accounts stay, and you can restore everything.`}
        </p>
        <FormError message={error?.message ?? null} />
        {preview !== undefined && <Preview preview={preview} />}
        <ReasonForm
          submit={t`Remove all activity`}
          disabled={preview === undefined || preview.accounts === 0}
          act={async (reason) => {
            await startRemoval(client, { ...selection, reason });
            onDone();
          }}
          onCancel={onClose}
        />
      </div>
    </Dialog>
  );
}

function Preview({ preview }: { preview: RemovalPreview }) {
  const { accounts, othersPosts, moderators, alreadyRemoved, items, sample } = preview;
  const more = accounts - items.length;
  return (
    <>
      <ul className={classes.facts} aria-label={t`Preview`}>
        <li className={classes.strong}>
          {plural(accounts, { one: '# account', other: '# accounts' })}: {describeActivity(preview)}
        </li>
        {othersPosts > 0 && (
          <li>
            {plural(othersPosts, {
              one: '# answer or reply from other members to these posts is hidden too',
              other: '# answers and replies from other members to these posts are hidden too',
            })}
          </li>
        )}
        {moderators > 0 && (
          <li>
            {plural(moderators, {
              one: '# moderator is skipped',
              other: '# moderators are skipped',
            })}
          </li>
        )}
        {alreadyRemoved > 0 && (
          <li>
            {plural(alreadyRemoved, {
              one: 'The activity of # account is already removed',
              other: 'The activity of # accounts is already removed',
            })}
          </li>
        )}
      </ul>
      {sample.length > 0 && (
        <details>
          <summary>{t`Latest posts`}</summary>
          <ul className={classes.samples}>
            {sample.map((post) => (
              <li key={`${post.kind} ${post.id}`} dir="auto">
                <span className={classes.strong}>{post.title}</span> <span>{post.text}</span>{' '}
                <span className={classes.quiet}>{t`by ${post.authorName}`}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
      <details>
        <summary>{t`Accounts`}</summary>
        <ul className={classes.samples}>
          {items.map((each) => (
            <li key={each.id}>
              <bdi className={classes.strong}>{each.displayName}</bdi>{' '}
              <span className={classes.quiet}>{describeActivity(each)}</span>
            </li>
          ))}
          {more > 0 && <li>{plural(more, { one: '# more account', other: '# more accounts' })}</li>}
        </ul>
      </details>
    </>
  );
}
