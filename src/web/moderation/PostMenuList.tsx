import { t } from '@lingui/core/macro';
import { Menu, menuPortal } from '#web/ui/mantine/Menu.tsx';
import { type OpenMenu, postActionStyles as classes } from '#web/posts/index.ts';
import type { PostRef } from '#shared/core/fields.ts';
import { ExternalTarget, useOpenAfterMount } from '#web/ui/lazy-popover.tsx';
import { usePostModeration } from './usePostModeration.tsx';

/** The contents of `PostMenu`. Loaded when a menu is first opened. */
export default function PostMenuList({
  post,
  own,
  onSuggest,
  button,
  opened,
  onClose,
}: { post: PostRef; own: boolean; onSuggest: () => void } & OpenMenu) {
  const { items, dialogs, isLoading } = usePostModeration(post, {
    own,
    actions: ['hide', 'delete', 'spam', 'lock'],
    opener: () => button,
    onSuggest,
  });
  return (
    <>
      <Menu
        position="bottom-end"
        width={216}
        opened={useOpenAfterMount(opened && !isLoading)}
        onClose={onClose}
        portalProps={menuPortal}
      >
        <Menu.Target>
          <ExternalTarget button={button} />
        </Menu.Target>
        <Menu.Dropdown className={classes.menu ?? ''} aria-label={t`More actions`}>
          {items}
        </Menu.Dropdown>
      </Menu>
      {dialogs}
    </>
  );
}
