import { t } from '@lingui/core/macro';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { PostAction } from './PostActions.tsx';

/** What only its author can do with a post. @param deleteName where 'Delete' is not its name. */
export function AuthorPostActions(props: { onEdit: () => void; onDelete: () => void; deleteName?: string }) {
  return (
    <>
      <PostAction label={t`Edit`} Icon={IconPencil} shortcut="e" short minor onPress={props.onEdit} />
      <PostAction
        label={props.deleteName ?? t`Delete`}
        Icon={IconTrash}
        short
        minor
        onPress={props.onDelete}
      />
    </>
  );
}
