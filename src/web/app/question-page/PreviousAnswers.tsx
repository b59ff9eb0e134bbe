import { t } from '@lingui/core/macro';
import { useLocation, useRouter } from '#web/core/router.ts';
import { useQuestionPage } from '#web/posts/questions/question-page-context.ts';
import { FirstPageLink } from '#web/ui/FirstPageLink.tsx';
import { withListStart } from '#web/ui/list-address.ts';
import { LoadMorePosts } from './ReplyThread.tsx';

/**
 * What stands above answers that begin later: the link to the first page, and a button that loads the answers before.
 * @param previousCursor where the page before begins; null for the first page
 */
export default function PreviousAnswers({ previousCursor }: { previousCursor: string | null }) {
  const { cache } = useQuestionPage();
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
          const start = await cache.loadPreviousAnswers();
          router.replaceAddress({ search: withListStart(router.location.search, start) });
        }}
      />
    </>
  );
}
