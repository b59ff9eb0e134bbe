import { Suspense } from 'react';
import type { Revision } from '#shared/posts/revisions.ts';
import { lazyComponent } from '#web/core/lazy.ts';

const TextDiff = lazyComponent(() => import('./TextDiff.tsx'));

/** The texts of a post; `title` and `tags` for questions only. */
export type PostTexts = Pick<Revision, 'title' | 'content' | 'tags'>;

/** The changes from one version of a post to another. `before` is null to show the whole text. */
export function PostDiff({ before, after }: { before: PostTexts | null; after: PostTexts }) {
  return (
    <Suspense>
      <TextDiff before={before} after={after} />
    </Suspense>
  );
}
