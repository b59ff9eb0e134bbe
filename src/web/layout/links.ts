import { t } from '@lingui/core/macro';
import { IconBookmarks, IconPencil, type TablerIcon } from '@tabler/icons-react';
import { paths } from '#web/platform/paths.ts';

export type NavigationLink = { to: string; label: string; Icon: TablerIcon };

/** What members keep for themselves: the navigation 'Saved', beside every page or, on phones, on the own profile. */
export const getSavedLinks = (): NavigationLink[] => [
  { to: paths.bookmarks, label: t`Bookmarks`, Icon: IconBookmarks },
  { to: paths.drafts, label: t`Drafts`, Icon: IconPencil },
];
