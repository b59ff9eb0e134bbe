import { t } from '@lingui/core/macro';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ManagedTag, TagChangeDraft } from '#shared/moderation/managed-tags.ts';
import { formatCount } from '#web/core/format.ts';
import { formatCountOf } from '#web/ui/Count.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { changeTag } from './managed-tags.ts';
import fields from '#web/ui/fields.module.css';
import classes from './moderation.module.css';
import { ReasonForm } from './ReasonForm.tsx';

/** Renames a tag or merges it into another one, after showing what changes. */
export default function TagChangeDialog({
  kind,
  tag,
  onClose,
}: {
  kind: TagChangeDraft['kind'];
  tag: ManagedTag;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const [to, setTo] = useState('');
  const [keepSynonym, setKeepSynonym] = useState(true);
  const isMerge = kind === 'merge';
  const questions = formatCountOf('question', tag.questionsCount, formatCount(tag.questionsCount));
  const followers = formatCountOf('follower', tag.followersCount, formatCount(tag.followersCount));
  let oldName = t`“${tag.name}” will be removed, including from earlier versions of questions. It stays in texts that mention it. In the moderation log, only moderators see it.`;
  if (keepSynonym)
    oldName = isMerge
      ? t`“${tag.name}” becomes another name of that topic.`
      : t`“${tag.name}” stays as another name. You can rename it back.`;
  return (
    <Dialog
      title={isMerge ? t`Merge “${tag.name}” into another topic` : t`Rename “${tag.name}”`}
      opened
      onClose={onClose}
      size="36rem"
    >
      <ReasonForm
        submit={isMerge ? t`Merge` : t`Rename`}
        optional
        disabled={to.trim() === ''}
        act={async (reason) => {
          await changeTag(client, { kind, tag: tag.name, to: to.trim(), reason, keepSynonym });
          onClose();
        }}
        onCancel={onClose}
      >
        <TextInput
          label={isMerge ? t`Other topic` : t`New name`}
          dir="auto"
          autoComplete="off"
          autoCapitalize="none"
          data-autofocus
          value={to}
          onChange={(event) => setTo(event.currentTarget.value)}
          // A merge cannot be undone.
          onKeyDown={(event) => {
            if (isMerge && event.key === 'Enter') event.preventDefault();
          }}
        />
        <p className={classes.strong}>
          {isMerge
            ? t`${questions} and ${followers} move.`
            : t`${questions} and ${followers} get the new name.`}
        </p>
        {isMerge && (tag.description !== '' || tag.about !== '') && (
          <p className={classes.strong}>{t`The description and text of “${tag.name}” are deleted.`}</p>
        )}
        <div>
          <label className={classes.choice}>
            <input
              type="checkbox"
              className={fields.checkbox}
              checked={keepSynonym}
              onChange={(event) => setKeepSynonym(event.currentTarget.checked)}
            />
            {t`Keep the old name`}
          </label>
          <p className={classes.quiet}>
            {oldName}
            {isMerge && (
              <> {t`Merging cannot be undone: Parley does not keep which questions had which topic.`}</>
            )}
          </p>
        </div>
      </ReasonForm>
    </Dialog>
  );
}
