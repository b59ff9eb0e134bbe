import { t } from '@lingui/core/macro';
import { LoadingRegion } from '#web/ui/LoadingRegion.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import card from './BookmarkCard.module.css';
import lists from './BookmarkLists.module.css';

const names = ['4rem', '7.5rem', '6rem', '6.75rem'];
const titles = ['78%', '92%', '64%', '86%'];

/** The placeholder of a list of bookmarks. */
export function BookmarkSkeletons({ withLists = false }: { withLists?: boolean }) {
  return (
    <LoadingRegion label={t`Loading bookmarks`}>
      {withLists && (
        <span className={lists.lists}>
          {names.map((width) => (
            <Skeleton key={width} width={width} height="var(--list-height)" round />
          ))}
        </span>
      )}
      {titles.map((width) => (
        <span key={width} className={card.card} style={{ display: 'grid', gap: '0.625rem' }}>
          <Skeleton width="15rem" height="1.25rem" />
          <Skeleton width={width} height="1.5rem" />
          <Skeleton width="70%" />
          <Skeleton width="20rem" height="1.25rem" />
        </span>
      ))}
    </LoadingRegion>
  );
}
