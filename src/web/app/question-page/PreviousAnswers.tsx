import { t } from '@lingui/core/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useLocation, useRouter } from '#web/core/router.ts';
import { loadPreviousAnswers } from '#web/posts/questions/further-posts.ts';
import { useQuestionPage } from '#web/posts/questions/question-page-context.ts';
import { FirstPageLink } from '#web/ui/FirstPageLink.tsx';
import { withListStart } from '#web/ui/list-address.ts';
import { LoadMorePosts } from './ReplyThread.tsx';

/**
 * What stands above answers that begin later: the link to the first page, and a button that loads the answers before.
 * @param previousCursor where the page before begins; null for the first page
 */
export default function PreviousAnswers({ previousCursor }: { previousCursor: string | null }) {
  const { questionId, cache } = useQuestionPage();
  const client = useQueryClient();
  const router = useRouter();
  const { pathname, search } = useLocation();
  return (
    <>
      <FirstPageLink />
      <LoadMorePosts
        rel="prev"
        href={pathname + withListStart(search, previousCursor)}
        name={t`Load previous answers`}
        failure={t`More answers could not be loaded.`}
        load={async () => {
          // The reader may have gone to another page or order by then.
          const isShown = () => router.location.search === search;
          const start = await loadPreviousAnswers(client, questionId, cache.read, isShown);
          if (!isShown()) return;
          // The button is loading until it is rendered: `LoadMore` then moves the focus if the button is gone.
          const { pathname, hash } = router.location;
          const address = pathname + withListStart(search, start) + (hash && `#${hash}`);
          await router.navigate(address, { replace: true, resetScroll: false });
        }}
      />
    </>
  );
}
