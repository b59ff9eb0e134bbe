import { MoreActions, useQuestionPage } from '#web/posts/index.ts';
import { canModerate } from '#shared/identity/roles.ts';
import type { PostRef } from '#shared/core/fields.ts';
import { preloadOnIntent } from '#web/ui/lazy-popover.tsx';
import { lazyComponent } from '#web/core/lazy.ts';

const load = () => import('./PostMenuList.tsx');
const PostMenuList = lazyComponent(load);
const intent = preloadOnIntent(load);

/** 'More actions' of an answer or reply. */
export function PostMenu({ post, own, onSuggest }: { post: PostRef; own: boolean; onSuggest: () => void }) {
  const { member } = useQuestionPage();
  if (own && !canModerate(member.role)) return null;
  return (
    <MoreActions intent={intent}>
      {(menu) => <PostMenuList post={post} own={own} onSuggest={onSuggest} {...menu} />}
    </MoreActions>
  );
}
